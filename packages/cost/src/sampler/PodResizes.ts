/**
 * What the containers of a pod asked for at each moment of an hour: a pod may be resized while it runs.
 */
import { PodContainers } from "@quarterdeck/cluster-fanout"
import { Equal } from "effect"
import type { Span } from "../allocation/HourFacts.ts"

/** What counted until an instant, at which another was told. **Units** milliseconds since the epoch. */
export interface Earlier {
  readonly untilMs: number
  readonly containers: ReadonlyArray<PodContainers.ContainerTemplate>
}

/** The runs of a container for as long as it asked for the same. **Shape** `killedAtMs` are those that ended in it OOM-killed. */
interface Part {
  readonly template: PodContainers.ContainerTemplate
  readonly runs: ReadonlyArray<Span>
  readonly killedAtMs: ReadonlyArray<number>
}

/** A pod that is resized without end asks for the last it was told beyond so many changes in an hour. */
const MAX_EARLIER = 64

/** Notes that something else was asked for until now. */
export const changed = (
  earlier: ReadonlyArray<Earlier>,
  containers: ReadonlyArray<PodContainers.ContainerTemplate>,
  atMs: number
): ReadonlyArray<Earlier> => (earlier.length < MAX_EARLIER ? [...earlier, { untilMs: atMs, containers }] : earlier)

/** Tells whether two pods, or one at two times, ask for the same. */
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
 * Cuts the runs of a container where it began to ask for something else.
 *
 * Parts without runs are left out; `seenToMs` ends what still runs.
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

/** One that begins in it, for however short, or that goes on into it. */
const touches = (
  { finishedAtMs, startedAtMs }: PodContainers.ContainerRun,
  fromMs: number,
  toMs: number,
  seenToMs: number
): boolean => startedAtMs < toMs && (startedAtMs >= fromMs || (finishedAtMs ?? seenToMs) > fromMs)
