/**
 * The requests of a pod's containers over an hour. Pods can be resized while they run.
 */
import { PodContainers } from "@quarterdeck/cluster-fanout"
import { Equal } from "effect"
import type { Span } from "../allocation/HourFacts.ts"

/** The requests that applied until an instant. **Units** milliseconds since the epoch. */
export interface Earlier {
  readonly untilMs: number
  readonly containers: ReadonlyArray<PodContainers.ContainerTemplate>
}

/** The runs of a container with the same requests. **Shape** `killedAtMs` are the ends of its OOM-killed runs. */
interface Part {
  readonly template: PodContainers.ContainerTemplate
  readonly runs: ReadonlyArray<Span>
  readonly killedAtMs: ReadonlyArray<number>
}

/** Maximum number of resizes recorded per pod and hour. Beyond that, the latest requests apply to the rest of the hour. */
const MAX_EARLIER = 64

/** Records that the requests of `containers` applied until `atMs`. */
export const changed = (
  earlier: ReadonlyArray<Earlier>,
  containers: ReadonlyArray<PodContainers.ContainerTemplate>,
  atMs: number
): ReadonlyArray<Earlier> => (earlier.length < MAX_EARLIER ? [...earlier, { untilMs: atMs, containers }] : earlier)

/** Returns true if both lists have the same containers with the same requests. */
export const isSame = (
  one: ReadonlyArray<PodContainers.ContainerTemplate>,
  other: ReadonlyArray<PodContainers.ContainerTemplate>
): boolean =>
  one === other
  || (one.length === other.length
    && one.every((template, index) => {
      const counterpart = other[index]
      return (
        counterpart !== undefined
        && template.name === counterpart.name
        && template.role === counterpart.role
        && template.cpuRequestMillis === counterpart.cpuRequestMillis
        && template.memoryRequestBytes === counterpart.memoryRequestBytes
        && template.gpus === counterpart.gpus
        && Equal.equals(template.gpuParts, counterpart.gpuParts)
      )
    }))

/**
 * Splits the runs of a container at its resizes.
 *
 * Parts without runs are left out. The run of a container that is still running ends at `seenToMs`, the last observed time.
 */
export const partsOf = (
  runs: ReadonlyArray<PodContainers.ContainerRun>,
  earlier: ReadonlyArray<Earlier>,
  present: ReadonlyArray<PodContainers.ContainerTemplate>,
  index: number,
  seenToMs: number
): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let fromMs = -Infinity
  for (const { containers, untilMs } of [...earlier, { untilMs: Infinity, containers: present }]) {
    const template = containers[index] ?? present[index]
    const within = runs.filter((run) => touches(run, fromMs, untilMs, seenToMs))
    if (template !== undefined && within.length > 0) {
      parts.push({
        template,
        runs: within.map((run) => ({
          fromMs: Math.max(run.startedAtMs, fromMs),
          toMs: Math.min(run.finishedAtMs ?? seenToMs, untilMs)
        })),
        killedAtMs: within.flatMap(({ finishedAtMs, isOomKilled }) =>
          isOomKilled && finishedAtMs !== undefined && finishedAtMs <= untilMs ? [finishedAtMs] : []
        )
      })
    }
    fromMs = Math.max(fromMs, untilMs)
  }
  return parts
}

/** Returns true if a run starts between `fromMs` and `toMs`, or continues into that time. */
const touches = (
  { finishedAtMs, startedAtMs }: PodContainers.ContainerRun,
  fromMs: number,
  toMs: number,
  seenToMs: number
): boolean => startedAtMs < toMs && (startedAtMs >= fromMs || (finishedAtMs ?? seenToMs) > fromMs)
