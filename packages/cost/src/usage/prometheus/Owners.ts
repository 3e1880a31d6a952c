/**
 * Finds the workloads of pods from owner metrics.
 */
import { Owner } from "@quarterdeck/cluster-fanout"
import { isOwner, type Series } from "../../hour/Series.ts"
import type { Line } from "./Answer.ts"
import { toLabels } from "./MangledLabels.ts"
import { byPod, oldestFirst, type Pod } from "./PodLines.ts"

/** The query results with owners. **Shape** each value is the time when the series was last seen. */
export interface OwnerAnswers {
  readonly podOwners: ReadonlyArray<Line>
  readonly replicaSetOwners: ReadonlyArray<Line>
  readonly jobOwners: ReadonlyArray<Line>
  readonly workloadLabels: ReadonlyArray<Line>
}

/** Kind of the object, by the label that holds the object's name. */
const NAME_LABELS: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  statefulset: "StatefulSet",
  daemonset: "DaemonSet",
  replicaset: "ReplicaSet",
  cronjob: "CronJob",
  job_name: "Job"
}

/**
 * Returns a function that finds a pod's workload: its outermost owner in metrics, through ReplicaSets, Jobs and pods.
 *
 * A pod without a valid owner is its own workload. So is a static pod, whose owner is a node. A ReplicaSet or Job without a
 * known owner is the workload. Metrics have UIDs of pods only. If owners or labels changed within the hour, the newest count. A
 * pod with more than `Owner.MOST_OWNERS` owners, as in a cycle, is its own workload.
 */
export const resolver = (answers: OwnerAnswers, pods: ReadonlyArray<Pod>): ((pod: Pod) => Series) => {
  const podOwners = byPod(oldestFirst(answers.podOwners))
  const links: Readonly<Record<string, ReadonlyMap<string, Named>>> = {
    ReplicaSet: ownersBy(answers.replicaSetOwners, ({ namespace, replicaset }) => `${namespace}/${replicaset}`),
    Job: ownersBy(answers.jobOwners, ({ job_name, namespace }) => `${namespace}/${job_name}`)
  }
  const labels = labelsBy(answers.workloadLabels)
  let byName: ReadonlyMap<string, Pod> | undefined
  const podNamed = (namespace: string, name: string): Pod | undefined => {
    byName ??= new Map(
      pods.toSorted((one, other) => Number(one.isNewest) - Number(other.isNewest)).map((pod) => [keyOf(pod), pod])
    )
    return byName.get(`${namespace}/${name}`)
  }
  const ofPod = ({ name, namespace, uid }: Pod): Series => ({ namespace, kind: "Pod", name, uid, labels: {} })
  const ownerOfPod = (pod: Pod): Named | undefined =>
    podOwners(pod)
      .map(ownerOf)
      .findLast((one) => one !== undefined)

  return (pod) => {
    const { namespace } = pod
    let owner = ownerOfPod(pod)
    for (let owners = 0; owner !== undefined && owners < Owner.MOST_OWNERS; owners++) {
      const { kind, name }: Named = owner
      const owning = kind === "Pod" ? podNamed(namespace, name) : undefined
      const next: Named | undefined =
        owning === undefined ? links[kind]?.get(`${namespace}/${name}`) : ownerOfPod(owning)
      if (next === undefined) {
        if (owning !== undefined) return ofPod(owning)
        return { namespace, kind, name, uid: "", labels: labels.get(`${kind}/${namespace}/${name}`) ?? {} }
      }
      owner = next
    }
    return ofPod(pod)
  }
}

const keyOf = ({ name, namespace }: Pod): string => `${namespace}/${name}`

type Named = Owner.NamedOwner

/** Returns the owner in a series. **Shape** `undefined` if it cannot be a workload, such as `<none>` of kube-state-metrics before 2.0. */
const ownerOf = ({ labels }: Line): Named | undefined => {
  const { owner_is_controller: isController, owner_kind: kind = "", owner_name: name = "" } = labels
  return kind === "Node" || isController === "false" || !isOwner({ kind, name }) ? undefined : { kind, name }
}

const ownersBy = (lines: ReadonlyArray<Line>, keyOf: (labels: Line["labels"]) => string): ReadonlyMap<string, Named> =>
  new Map(
    oldestFirst(lines).flatMap((line): ReadonlyArray<readonly [string, Named]> => {
      const owner = ownerOf(line)
      return owner === undefined ? [] : [[keyOf(line.labels), owner]]
    })
  )

const labelsBy = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Readonly<Record<string, string>>> =>
  new Map(
    oldestFirst(lines).flatMap(({ labels }) =>
      Object.entries(NAME_LABELS).flatMap(([label, kind]) =>
        labels[label] === undefined
          ? []
          : [[`${kind}/${labels["namespace"]}/${labels[label]}`, toLabels(labels)] as const]
      )
    )
  )
