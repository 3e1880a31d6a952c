/**
 * Builds the nodes of a past hour from metrics.
 */
import type { NodeFacts, Span } from "../../allocation/HourFacts.ts"
import { HOUR_MS } from "../../hour/Units.ts"
import type { Line } from "./Answer.ts"
import * as GpuNames from "./GpuNames.ts"
import { toLabels } from "./MangledLabels.ts"
import * as MinuteMask from "./MinuteMask.ts"
import { oldestFirst } from "./PodLines.ts"
import { startedAt } from "./ContainerRuns.ts"

/**
 * The query results that nodes are built from.
 *
 * **Shape** each value of `nodeLabels` is the time at which the series was last seen. `nodeCapacity` has one value per slice.
 */
export interface NodeAnswers {
  readonly nodes: ReadonlyArray<Line>
  readonly nodeLabels: ReadonlyArray<Line>
  readonly nodeCapacity: ReadonlyArray<Line>
  readonly nodeStarts: ReadonlyArray<Line>
  readonly accelerators?: GpuNames.AcceleratorNames
}

/**
 * Returns the nodes.
 *
 * The UID is that of the machine (`system_uuid`), because metrics lack the UID of the Node object. Successive machines
 * of one node name are separate nodes. Each has the last labels and capacity reported while it existed.
 */
export const read = (
  answers: NodeAnswers,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<NodeFacts> => {
  const labels = Map.groupBy(oldestFirst(answers.nodeLabels), nameOf)
  const capacity = Map.groupBy(answers.nodeCapacity, nameOf)
  const startsMs = Map.groupBy(answers.nodeStarts, nameOf)
  return machinesOf(answers.nodes).flatMap((lines): ReadonlyArray<NodeFacts> => {
    const [line] = lines
    const name = nameOf(line)
    const minutes = MinuteMask.none()
    for (const { points } of lines) MinuteMask.addBits(minutes, hourMs, points)
    const starts = (startsMs.get(name) ?? []).map((start) => valueOf(start) * 1_000)
    const spans = MinuteMask.spans(
      MinuteMask.closed(minutes, (place) => !wasSeen(place)),
      hourMs
    ).map((span) => startedAt(span, starts))
    const within = MinuteMask.within(hourMs, spans)
    const first = within[0]
    const last = within.at(-1)
    if (first === undefined || last === undefined) return []
    const there = { fromMs: first.fromMs, toMs: last.toMs }
    return [
      {
        name,
        uid: line.labels["system_uuid"] ?? "",
        labels: labelsAt(labels.get(name) ?? [], there),
        providerId: providerIdOf(lines.find(isIdentified) ?? line),
        ...amountsOf(capacity.get(name) ?? [], hourMs, there, answers.accelerators),
        spans: within
      }
    ]
  })
}

type Machine = readonly [Line, ...ReadonlyArray<Line>]

/**
 * Groups series by machine.
 *
 * A node may join before its cloud provider sets the provider id. The series without it belongs to the same machine.
 */
const machinesOf = (nodes: ReadonlyArray<Line>): ReadonlyArray<Machine> =>
  [...Map.groupBy(nodes, (line) => `${nameOf(line)}/${line.labels["system_uuid"] ?? ""}`).values()].flatMap(
    ([first, ...more]): ReadonlyArray<Machine> => {
      if (first === undefined) return []
      const all: Machine = [first, ...more]
      return all.filter(isIdentified).length < 2 ? [all] : all.map((line): Machine => [line])
    }
  )

const providerIdOf = ({ labels }: Line): string => labels["provider_id"] ?? ""
const isIdentified = (line: Line): boolean => providerIdOf(line) !== ""
const nameOf = ({ labels }: Line): string => labels["node"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

/** Returns the labels that were last seen before a machine ended. If there are none, returns the first labels seen later. */
const labelsAt = (oldest: ReadonlyArray<Line>, { toMs }: Span): Readonly<Record<string, string>> => {
  const line = oldest.findLast((candidate) => valueOf(candidate) * 1_000 <= toMs) ?? oldest[0]
  return line === undefined ? {} : toLabels(line.labels)
}

const amountsOf = (
  capacity: ReadonlyArray<Line>,
  hourMs: number,
  there: Span,
  accelerators: GpuNames.AcceleratorNames | undefined
) => {
  let [cpuMillis, memoryBytes] = [0, 0]
  const others: Array<readonly [resource: string, amount: number]> = []
  for (const line of capacity) {
    const { resource = "" } = line.labels
    const amount = amountAt(line, hourMs, there)
    if (amount === undefined) continue
    if (resource === "cpu") cpuMillis = amount * 1_000
    else if (resource === "memory") memoryBytes = amount
    else others.push([resource, amount])
  }
  return { cpuMillis, memoryBytes, ...GpuNames.sorted(others, accelerators) }
}

/** Returns the value of the last slice within a machine's time. If there is none, returns that of the next slice. */
const amountAt = ({ points }: Line, hourMs: number, { fromMs, toMs }: Span): number | undefined => {
  const inHour = points.filter(({ atMs }) => atMs > hourMs && atMs <= hourMs + HOUR_MS)
  const during = inHour.findLast(({ atMs }) => atMs > fromMs && atMs <= toMs)
  return (during ?? inHour.find(({ atMs }) => atMs > fromMs) ?? inHour.at(-1))?.value
}
