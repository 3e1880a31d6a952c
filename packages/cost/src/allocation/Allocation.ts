/**
 * What a container is charged for: at every moment the greater of what it requested and what it used.
 *
 * **Source** OpenCost specification 0.1, allocation; `pkg/costmodel`, `getContainerAllocation`.
 */
import type { ContainerFacts } from "./HourFacts.ts"
import { KIB_BYTES } from "../hour/Units.ts"
import { between, over } from "./Accrual.ts"
import * as GpuShare from "./GpuShare.ts"
import type { Host } from "./PodHosts.ts"
import { isPossible, visitKnown } from "./KnownUsage.ts"
import { secondsIn, type Intervals } from "./Intervals.ts"

/**
 * What a container had, requested and used.
 *
 * **Units** as the measures of the same name; `seconds` is how long it ran, `knownSeconds` how much of it has a known
 * usage, which is all that `cpuUsedMilliSeconds` and `memoryUsedKibSeconds` are of, and what was requested while it was known.
 */
export interface Allocation {
  readonly seconds: number
  readonly knownSeconds: number
  readonly cpuAllocatedMilliSeconds: number
  readonly memoryAllocatedKibSeconds: number
  readonly cpuUsedMilliSeconds: number
  readonly memoryUsedKibSeconds: number
  readonly cpuRequestedMilliSeconds: number
  readonly memoryRequestedKibSeconds: number
  readonly cpuRequestedKnownMilliSeconds: number
  readonly memoryRequestedKnownKibSeconds: number
  readonly gpuMilliSeconds: number
}

/**
 * Sums a container's allocation over the time it ran.
 *
 * Where the usage is known the greatest of it, the request, and the mean that the source tells of the greater of
 * both, which is never less than either; elsewhere the request, and everywhere where the provider charges by that
 * (`isByRequest`). GPUs are what was requested, parts of them as the node's labels tell.
 *
 * **Limits** linear in slices and runs.
 */
export const ofContainer = (
  container: ContainerFacts,
  runs: Intervals,
  startMs: number,
  { isByRequest, limits, node }: Pick<Host, "isByRequest" | "limits" | "node">
): Allocation => {
  const { cpuRequestMillis, memoryRequestBytes, usage } = container
  const requestKib = memoryRequestBytes / KIB_BYTES
  const cpuRequested = over(cpuRequestMillis, runs)
  const memoryRequested = over(requestKib, runs)
  let cpuAbove = 0
  let memoryAbove = 0
  let cpuUsed = 0
  let memoryUsed = 0
  let cpuKnown = 0
  let memoryKnown = 0
  let knownSeconds = 0
  if (usage !== undefined) {
    visitKnown(usage, runs, startMs, limits, (from, to, slice) => {
      const cpu = usage.cpuMillis[slice] ?? 0
      const memory = usage.memoryBytes[slice] ?? 0
      const cpuMean = usage.cpuAllocatedMillis?.[slice]
      const memoryMean = usage.memoryAllocatedBytes?.[slice]
      knownSeconds += to - from
      cpuUsed += between(cpu, from, to)
      memoryUsed += between(memory / KIB_BYTES, from, to)
      cpuKnown += between(cpuRequestMillis, from, to)
      memoryKnown += between(requestKib, from, to)
      if (isByRequest) return
      // A source that knows no request, or not all the time, tells a mean that is below it.
      const cpuCharged = Math.max(cpu, cpuRequestMillis, isPossible(cpuMean, limits.cpuMillis) ? cpuMean : 0)
      const bytesCharged = Math.max(
        memory,
        memoryRequestBytes,
        isPossible(memoryMean, limits.memoryBytes) ? memoryMean : 0
      )
      cpuAbove += difference(cpuCharged, cpuRequestMillis, from, to)
      memoryAbove += difference(bytesCharged / KIB_BYTES, requestKib, from, to)
    })
  }
  return {
    seconds: secondsIn(runs),
    knownSeconds,
    cpuAllocatedMilliSeconds: cpuRequested + cpuAbove,
    memoryAllocatedKibSeconds: memoryRequested + memoryAbove,
    cpuUsedMilliSeconds: cpuUsed,
    memoryUsedKibSeconds: memoryUsed,
    cpuRequestedMilliSeconds: cpuRequested,
    memoryRequestedKibSeconds: memoryRequested,
    cpuRequestedKnownMilliSeconds: cpuKnown,
    memoryRequestedKnownKibSeconds: memoryKnown,
    gpuMilliSeconds: over(1_000 * GpuShare.ofContainer(container, node?.labels), runs)
  }
}

const difference = (rate: number, other: number, from: number, to: number): number =>
  rate === other ? 0 : between(rate, from, to) - between(other, from, to)
