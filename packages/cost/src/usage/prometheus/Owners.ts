/**
 * Finds the workloads that pods belong to, by what metrics tell of owners.
 */
import { isOwner, type Series } from "../../hour/Series.ts"
import type { Line } from "./Answer.ts"
import { toLabels } from "./MangledLabels.ts"

/** The answers that owners are found in. */
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

/** The name of a pod as its metrics have it. */
export interface PodName {
  readonly namespace: string
  readonly name: string
  readonly uid: string
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
 * Gives the way from a pod to its workload: through a ReplicaSet or Job to what owns that.
 *
 * A pod that nobody owns, or nothing that can own one, is its own workload and has its uid; of other workloads metrics do not tell the uid. A
 * ReplicaSet or Job of which nothing more is known is the workload itself.
 */
export const resolver = (answers: OwnerAnswers): ((pod: PodName) => Series) => {
  const podOwners = ownersBy(answers.podOwners, ({ uid = "" }) => uid)
  const links: Readonly<Record<string, ReadonlyMap<string, Owner>>> = {
    ReplicaSet: ownersBy(answers.replicaSetOwners, ({ namespace, replicaset }) => `${namespace}/${replicaset}`),
    Job: ownersBy(answers.jobOwners, ({ job_name, namespace }) => `${namespace}/${job_name}`)
  }
  const labels = labelsBy(answers.workloadLabels)
  return ({ name, namespace, uid }) => {
    const owner = podOwners.get(uid)
    const workload = owner === undefined ? owner : (links[owner.kind]?.get(`${namespace}/${owner.name}`) ?? owner)
    if (workload === undefined || !isOwner(workload)) return { namespace, kind: "Pod", name, uid, labels: {} }
    const { kind, name: owning } = workload
    return { namespace, kind, name: owning, uid: "", labels: labels.get(`${kind}/${namespace}/${owning}`) ?? {} }
  }
}

/** Those before 2.0 wrote `<none>` where nobody owns it. */
const ownersBy = (lines: ReadonlyArray<Line>, keyOf: (labels: Line["labels"]) => string): ReadonlyMap<string, Owner> =>
  new Map(
    lines.flatMap(({ labels }): ReadonlyArray<readonly [string, Owner]> => {
      const { owner_is_controller: isController, owner_kind: kind = "", owner_name: name = "" } = labels
      if (kind === "" || kind === "<none>" || isController === "false") return []
      return [[keyOf(labels), { kind, name }]]
    })
  )

const labelsBy = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Readonly<Record<string, string>>> =>
  new Map(
    lines.flatMap(({ labels }) =>
      Object.entries(NAME_LABELS).flatMap(([label, kind]) =>
        labels[label] === undefined
          ? []
          : [[`${kind}/${labels["namespace"]}/${labels[label]}`, toLabels(labels)] as const]
      )
    )
  )
