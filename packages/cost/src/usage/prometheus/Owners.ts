/**
 * Finds the workloads that pods belong to, by what metrics tell of owners.
 */
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

interface Owner {
  readonly kind: string
  readonly name: string
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

/** A pod that owns a pod may be owned by a pod in turn; beyond so many, the last one found is the workload. */
const MAX_OWNING_PODS = 8

/**
 * Gives the way from a pod to its workload: through a ReplicaSet or Job to what owns that, and through a pod to what that
 * pod counts to.
 *
 * A pod without an owner that can be a workload is its own workload. It has its uid where metrics tell it; they do not tell
 * the uid of other workloads. A pod whose owner is a node is such a pod too: the kubelet makes its node the owner of a static pod's mirror. A
 * ReplicaSet or Job of which nothing more is known is the workload itself. Of owners and labels that followed each other within the hour the newest count.
 */
export const resolver = (answers: OwnerAnswers, pods: ReadonlyArray<Pod>): ((pod: Pod) => Series) => {
  const podOwners = byPod(oldestFirst(answers.podOwners))
  const links: Readonly<Record<string, ReadonlyMap<string, Owner>>> = {
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

  const workloadOf = (pod: Pod, owningPods: number): Series => {
    const { namespace } = pod
    const owner = podOwners(pod)
      .map(ownerOf)
      .findLast((one) => one !== undefined)
    if (owner?.kind === "Pod" && owningPods < MAX_OWNING_PODS) {
      const owning = podNamed(namespace, owner.name)
      if (owning !== undefined) return workloadOf(owning, owningPods + 1)
    }
    const workload = owner === undefined ? owner : (links[owner.kind]?.get(`${namespace}/${owner.name}`) ?? owner)
    if (workload === undefined || !isOwner(workload)) return ofPod(pod)
    const { kind, name } = workload
    return { namespace, kind, name, uid: "", labels: labels.get(`${kind}/${namespace}/${name}`) ?? {} }
  }
  return (pod) => workloadOf(pod, 0)
}

const keyOf = ({ name, namespace }: Pod): string => `${namespace}/${name}`

/** kube-state-metrics before 2.0 wrote `<none>` for a pod without an owner. */
const ownerOf = ({ labels }: Line): Owner | undefined => {
  const { owner_is_controller: isController, owner_kind: kind = "", owner_name: name = "" } = labels
  return kind === "" || kind === "<none>" || kind === "Node" || isController === "false" ? undefined : { kind, name }
}

const ownersBy = (lines: ReadonlyArray<Line>, keyOf: (labels: Line["labels"]) => string): ReadonlyMap<string, Owner> =>
  new Map(
    oldestFirst(lines).flatMap((line): ReadonlyArray<readonly [string, Owner]> => {
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
