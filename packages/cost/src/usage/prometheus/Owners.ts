/**
 * Finds the workloads that pods belong to, by what metrics tell of owners.
 */
import { Owner } from "@quarterdeck/cluster-fanout"
import { isOwner, type Series } from "../../hour/Series.ts"
import type { Line } from "./Answer.ts"
import { toLabels } from "./MangledLabels.ts"
import { byPod, oldestFirst, type Pod } from "./PodLines.ts"

/** The answers that owners are found in. **Shape** the value of each is when it was seen last. */
export interface OwnerAnswers {
  readonly podOwners: ReadonlyArray<Line>
  readonly replicaSetOwners: ReadonlyArray<Line>
  readonly jobOwners: ReadonlyArray<Line>
  readonly workloadLabels: ReadonlyArray<Line>
}

/** The metrics of each kind put its objects' names into a label of their own. */
const NAME_LABELS: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  statefulset: "StatefulSet",
  daemonset: "DaemonSet",
  replicaset: "ReplicaSet",
  cronjob: "CronJob",
  job_name: "Job"
}

/**
 * Gives the way from a pod to its workload: the outermost owner that metrics tell of, through ReplicaSets, Jobs and pods.
 *
 * A pod without an owner that can be a workload is its own workload. It has its uid where metrics tell it; they do not tell
 * the uid of other workloads. A pod whose owner is a node is such a pod too: the kubelet makes its node the owner of a static
 * pod's mirror. A ReplicaSet or Job of which nothing more is known is the workload itself. Of owners and labels that followed
 * each other within the hour the newest count. A pod with more than `Owner.MOST_OWNERS` owners, as in a circle, is its own
 * workload.
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

/** Reads the owner that a series tells. **Shape** `undefined` for one that can be no workload, as `<none>` of kube-state-metrics before 2.0. */
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
