/**
 * Queries of list requests, limited to the caller's scope.
 */
import type { LabelSelector } from "@quarterdeck/cluster-fanout"
import type { WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import type { Page, PodSort, WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import type { PodQuery } from "@quarterdeck/cluster-fanout/Pods"
import type { WorkloadQuery } from "@quarterdeck/cluster-fanout/Workloads"
import * as Access from "@quarterdeck/keys/Access"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { Target } from "@quarterdeck/targeting/Target"
import { namedObject } from "./ListPage.ts"

/** A caller and the admitted target of its request. */
export interface AdmittedCaller {
  readonly principal: Principal["Service"]
  readonly target: Target
}

/** Filter parameters of workloads. */
interface WorkloadNarrowing {
  readonly namespace?: ReadonlyArray<string>
  readonly kind?: ReadonlyArray<string>
  readonly name?: string
  readonly status?: ReadonlyArray<WorkloadStatus>
}

/** Filter parameters of pods. */
interface PodNarrowing {
  readonly namespace?: ReadonlyArray<string>
  readonly name?: string
  readonly node?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<string>
  readonly workload?: string
}

export const workloadFilter = (
  { kind, name, namespace, status }: WorkloadNarrowing,
  labelSelector: LabelSelector.LabelSelector
): WorkloadQuery["filter"] => ({
  labelSelector,
  ...(namespace === undefined ? {} : { namespace }),
  ...(kind === undefined ? {} : { kind }),
  ...(name === undefined ? {} : { name }),
  ...(status === undefined ? {} : { status })
})

/** Makes the query for workloads within the caller's rule. */
export const ofWorkloads = (
  query: WorkloadNarrowing,
  labelSelector: LabelSelector.LabelSelector,
  page: Page<WorkloadSort>,
  caller: AdmittedCaller
): WorkloadQuery => ({ ...within(caller), filter: workloadFilter(query, labelSelector), page })

/** Makes the query for pods within the caller's rule. */
export const ofPods = (
  { name, namespace, node, status, workload }: PodNarrowing,
  labelSelector: LabelSelector.LabelSelector,
  page: Page<PodSort>,
  caller: AdmittedCaller
): PodQuery => ({
  ...within(caller),
  mayReadLogs: mayReadLogs(caller.principal.rule),
  filter: {
    labelSelector,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(node === undefined ? {} : { node }),
    ...(status === undefined ? {} : { status }),
    ...(workload === undefined ? {} : { workload: namedObject(workload) })
  },
  page
})

/** Returns whether a rule may read pod logs, and texts that may come from one. */
export const mayReadLogs = (rule: Rule.Rule): boolean => Access.decide(rule, "podLogs", "read") === "allowed"

/** Limits a list to the clusters of its target and the namespaces of the caller's rule. */
export const within = ({ principal: { keyId, rule }, target }: AdmittedCaller) => ({
  target,
  namespaces: Rule.namespaceFilter(rule),
  cursorBinding: keyId
})
