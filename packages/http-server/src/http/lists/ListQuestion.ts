/**
 * What a list request asks of the clusters, for the caller who sends it.
 */
import type { LabelSelector } from "@quarterdeck/cluster-fanout"
import type { Page, PodSort, WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import type { PodQuery } from "@quarterdeck/cluster-fanout/Pods"
import type { WorkloadQuery } from "@quarterdeck/cluster-fanout/Workloads"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { Target } from "@quarterdeck/targeting/Target"
import { namedObject } from "./ListPage.ts"

/** What a query narrows workloads by. */
interface WorkloadNarrowing {
  readonly namespace?: ReadonlyArray<string>
  readonly kind?: ReadonlyArray<string>
  readonly name?: string
}

/** What a query narrows pods by. */
interface PodNarrowing {
  readonly namespace?: ReadonlyArray<string>
  readonly name?: string
  readonly node?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<string>
  readonly workload?: string
}

export const workloadFilter = (
  { kind, name, namespace }: WorkloadNarrowing,
  labelSelector: LabelSelector.LabelSelector
): WorkloadQuery["filter"] => ({
  labelSelector,
  ...(namespace === undefined ? {} : { namespace }),
  ...(kind === undefined ? {} : { kind }),
  ...(name === undefined ? {} : { name })
})

/** Asks for workloads that the caller's rule reaches. */
export const ofWorkloads = (
  query: WorkloadNarrowing,
  labelSelector: LabelSelector.LabelSelector,
  page: Page<WorkloadSort>,
  target: Target,
  caller: Principal["Service"]
): WorkloadQuery => ({ ...within(target, caller), filter: workloadFilter(query, labelSelector), page })

/** Asks for pods that the caller's rule reaches. */
export const ofPods = (
  { name, namespace, node, status, workload }: PodNarrowing,
  labelSelector: LabelSelector.LabelSelector,
  page: Page<PodSort>,
  target: Target,
  caller: Principal["Service"]
): PodQuery => ({
  ...within(target, caller),
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

const within = (target: Target, { keyId, rule }: Principal["Service"]) => ({
  target,
  namespaces: Rule.namespaceFilter(rule),
  cursorBinding: keyId
})
