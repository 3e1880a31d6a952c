/**
 * Puts together the nodes of an hour that is over.
 */
import type { NodeFacts } from "../../allocation/HourFacts.ts"
import type { Line } from "./Answer.ts"
import * as GpuNames from "./GpuNames.ts"
import { toLabels } from "./MangledLabels.ts"
import * as Minutes from "./Minutes.ts"
import { startedAt } from "./Runs.ts"

export interface NodeAnswers {
  readonly nodes: ReadonlyArray<Line>
  readonly nodeLabels: ReadonlyArray<Line>
  readonly nodeCapacity: ReadonlyArray<Line>
  readonly nodeStarts: ReadonlyArray<Line>
}

/**
 * Gives the nodes.
 *
 * The uid is the machine's (`system_uuid`), since metrics do not tell the object's: machines that follow each
 * other under one name stay apart.
 */
export const read = (
  answers: NodeAnswers,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<NodeFacts> => {
  const labels = new Map(answers.nodeLabels.map((line) => [nameOf(line), toLabels(line.labels)]))
  const capacity = Map.groupBy(answers.nodeCapacity, nameOf)
  const startsMs = new Map(answers.nodeStarts.map((line) => [nameOf(line), valueOf(line) * 1_000]))
  return answers.nodes.flatMap((line): ReadonlyArray<NodeFacts> => {
    const name = nameOf(line)
    const minutes = Minutes.none()
    Minutes.addBits(minutes, hourMs, line.points)
    const startMs = startsMs.get(name)
    const spans = Minutes.spans(
      Minutes.closed(minutes, (place) => !wasSeen(place)),
      hourMs
    ).map((span) => (startMs === undefined ? span : startedAt(span, [startMs])))
    const within = Minutes.within(hourMs, spans)
    if (within.length === 0) return []
    return [
      {
        name,
        uid: line.labels["system_uuid"] ?? "",
        labels: labels.get(name) ?? {},
        providerId: line.labels["provider_id"] ?? "",
        ...amountsOf(capacity.get(name) ?? []),
        spans: within
      }
    ]
  })
}

const nameOf = ({ labels }: Line): string => labels["node"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

const amountsOf = (capacity: ReadonlyArray<Line>) => {
  let [cpuMillis, memoryBytes] = [0, 0]
  const others: Array<readonly [resource: string, amount: number]> = []
  for (const line of capacity) {
    const { resource } = line.labels
    if (resource === "cpu") cpuMillis = valueOf(line) * 1_000
    else if (resource === "memory") memoryBytes = valueOf(line)
    else others.push([resource ?? "", valueOf(line)])
  }
  return { cpuMillis, memoryBytes, ...GpuNames.sorted(others) }
}
