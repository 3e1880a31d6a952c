/**
 * The charged quantities of a container: at each moment the greater of request and usage.
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
 * A container's allocated, requested and used quantities.
 *
 * **Units** those of the measures with the same names. `seconds` is the run time, `knownSeconds` the part with known
 * usage. Used and `RequestedKnown` quantities cover only that part.
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
 * Sums a container's allocation over its run time.
 *
 * Where usage is known, allocation is the maximum of usage, request, and the mean of max(request, usage) that the usage
 * source returned. Elsewhere, and always with `isByRequest`, it is the request. GPUs count as requested, converted by
 * the node's labels.
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
      // The source may not know the request for some of the time, so its mean can be below the request.
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
