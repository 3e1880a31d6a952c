/**
 * The controllers of an embedded cluster.
 */
import { Effect, type Scope } from "effect"
import type { Kernel } from "../core/Kernel.ts"
import { claims } from "./Claims.ts"
import { cronJobs } from "./CronJobs.ts"
import { daemonSets } from "./DaemonSets.ts"
import { deployments } from "./Deployments.ts"
import { disruptionBudgets } from "./DisruptionBudgets.ts"
import { endpointSlices } from "./EndpointSlices.ts"
import { garbageCollector } from "./GarbageCollector.ts"
import { jobs } from "./Jobs.ts"
import { namespaceContents } from "./NamespaceContents.ts"
import { namespaces } from "./Namespaces.ts"
import { nodes } from "./Nodes.ts"
import * as PodIndex from "./PodIndex.ts"
import { replicaSets } from "./ReplicaSets.ts"
import * as Runner from "./Runner.ts"
import { scheduler } from "./Scheduler.ts"
import { statefulSets } from "./StatefulSets.ts"

const ALL = [
  garbageCollector,
  namespaces,
  namespaceContents,
  nodes,
  claims,
  scheduler,
  replicaSets,
  deployments,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  endpointSlices,
  disruptionBudgets
]

/**
 * Runs the controllers of a cluster until the scope closes. They first reconcile every object.
 *
 * **Shape** `observe` receives log lines.
 */
export const run = (options: {
  readonly kernel: Kernel
  readonly caPem: string
  readonly observe: (line: string) => void
}): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { caPem, kernel, observe } = options
    const cluster = { kernel, caPem, pods: yield* PodIndex.make(kernel) }
    yield* Runner.run(cluster, ALL, observe)
  })
