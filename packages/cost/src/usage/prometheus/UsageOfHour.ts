/**
 * Reads the container usage of a cluster in one hour.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { Egress, UsageSlices } from "../../allocation/HourFacts.ts"
import { HOUR_MS, KIB_BYTES } from "../../hour/Units.ts"
import type { UsageError } from "../UsageError.ts"
import type { ContainerHour, HourOfUsage, PodEgress } from "../UsageSource.ts"
import type { Line } from "./Answer.ts"
import type { Client } from "./Client.ts"
import * as MinuteMask from "./MinuteMask.ts"
import type { Matcher } from "./Promql.ts"
import * as Queries from "./UsageQueries.ts"

/** Number of concurrent queries for the usage of one hour. */
const LANES = 2

/** Queries the hour's usage. **Limits** eight queries, two at a time. */
export const read = Effect.fnUntraced(function* (
  client: Client,
  place: ReadonlyArray<Matcher>,
  cluster: ClusterName,
  hourMs: number
): Effect.fn.Return<HourOfUsage, UsageError> {
  const queries = Queries.slices(place)
  const steps = MinuteMask.sliceEnds(hourMs)
  const answers = yield* Effect.all(
    {
      known: client.range(cluster, queries.known, steps),
      cpu: client.range(cluster, queries.cpu, steps),
      cpuAtEdges: client.range(cluster, queries.cpuAtEdges, steps),
      memory: client.range(cluster, queries.memory, steps),
      memoryPeak: client.range(cluster, queries.memoryPeak, steps),
      cpuAllocated: client.range(cluster, queries.cpuAllocated, steps),
      memoryAllocated: client.range(cluster, queries.memoryAllocated, steps),
      egress: client.instant(cluster, Queries.egress(place), hourMs + HOUR_MS)
    },
    { concurrency: LANES }
  )
  const column = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Float64Array> => columnsOf(lines, hourMs)
  const columns: Columns = {
    cpu: column(answers.cpu),
    cpuAtEdges: column(answers.cpuAtEdges),
    memory: column(answers.memory),
    memoryPeak: column(answers.memoryPeak),
    cpuAllocated: column(answers.cpuAllocated),
    memoryAllocated: column(answers.memoryAllocated)
  }
  return {
    containers: answers.known.flatMap((line) => containerHour(line, columns, hourMs)),
    egress: egressOf(answers.egress)
  }
})

type Column = ReadonlyMap<string, Float64Array>

/** The usage by container, one value per slice, NaN if unknown. **Units** cores and bytes. */
interface Columns {
  readonly cpu: Column
  readonly cpuAtEdges: Column
  readonly memory: Column
  readonly memoryPeak: Column
  readonly cpuAllocated: Column
  readonly memoryAllocated: Column
}

/** Returns a unique key, because Kubernetes names contain no slash. */
export const keyOf = ({ labels }: Pick<Line, "labels">): string =>
  `${labels["namespace"] ?? ""}/${labels["pod"] ?? ""}/${labels["container"] ?? ""}`

const columnsOf = (lines: ReadonlyArray<Line>, hourMs: number): Column =>
  new Map(
    lines.map((line) => {
      const values = new Float64Array(MinuteMask.SLICES).fill(Number.NaN)
      for (const { atMs, value } of line.points) {
        const slice = MinuteMask.sliceOf(hourMs, atMs)
        if (slice >= 0 && slice < MinuteMask.SLICES) values[slice] = value
      }
      return [keyOf(line), values]
    })
  )

const containerHour = (line: Line, columns: Columns, hourMs: number): ReadonlyArray<ContainerHour> => {
  const { container = "", namespace = "", pod = "" } = line.labels
  const seen = MinuteMask.none()
  MinuteMask.addBits(seen, hourMs, line.points)
  const slices = slicesOf(seen, columns, keyOf(line), hourMs)
  return slices.fromMs.length === 0 ? [] : [{ namespace, pod, container, slices }]
}

const slicesOf = (seen: MinuteMask.MinuteMask, columns: Columns, key: string, hourMs: number): UsageSlices => {
  const at = (column: Column, slice: number): number => column.get(key)?.[slice] ?? Number.NaN
  const known = MinuteMask.closed(seen)
  const rows: Array<ReadonlyArray<number>> = []
  for (let slice = 0; slice < MinuteMask.SLICES; slice++) {
    const plain = at(columns.cpu, slice)
    const atEdge = at(columns.cpuAtEdges, slice)
    const cores = MinuteMask.isWhole(seen, slice) || Number.isNaN(atEdge) ? plain : atEdge
    const memoryBytes = at(columns.memory, slice)
    if (Number.isNaN(cores) || Number.isNaN(memoryBytes)) continue
    // The average of max(request, usage) cannot be below that of usage. If the result is, its window lacked samples.
    const allocatedCores = greatest(cores, at(columns.cpuAllocated, slice))
    const allocatedBytes = greatest(memoryBytes, at(columns.memoryAllocated, slice))
    const peakBytes = greatest(memoryBytes, at(columns.memoryPeak, slice))
    for (const { fromMs, toMs } of MinuteMask.spansOfSlice(known, hourMs, slice)) {
      rows.push([fromMs, toMs, cores * 1_000, memoryBytes, peakBytes, allocatedCores * 1_000, allocatedBytes])
    }
  }
  const column = (place: number) => Float64Array.from(rows, (row) => row[place] ?? 0)
  return {
    fromMs: column(0),
    toMs: column(1),
    cpuMillis: column(2),
    memoryBytes: column(3),
    memoryPeakBytes: column(4),
    cpuAllocatedMillis: column(5),
    memoryAllocatedBytes: column(6)
  }
}

const greatest = (one: number, other: number): number => (other > one ? other : one)

/**
 * Sums egress by pod and class. Traffic within a zone is free and ignored.
 *
 * **Source** OpenCost, `pkg/costmodel/allocation_helpers.go`: the labels of each class.
 */
const egressOf = (lines: ReadonlyArray<Line>): ReadonlyArray<PodEgress> => {
  const byPod = new Map<
    string,
    { readonly namespace: string; readonly pod: string; readonly bytes: Record<keyof Egress, number> }
  >()
  for (const { labels, points } of lines) {
    const { namespace = "", pod_name: pod = "" } = labels
    if (pod === "") continue
    const key = `${namespace}/${pod}`
    const entry = byPod.get(key) ?? { namespace, pod, bytes: { zoneKib: 0, regionKib: 0, internetKib: 0 } }
    byPod.set(key, entry)
    const place = classOf(labels)
    if (place !== undefined) entry.bytes[place] += (points[0]?.value ?? 0) / KIB_BYTES
  }
  return Array.from(byPod.values(), ({ bytes, namespace, pod }) => ({ namespace, pod, egress: bytes }))
}

const classOf = (labels: Line["labels"]): keyof Egress | undefined => {
  if (labels["internet"] === "true") return "internetKib"
  if ((labels["same_zone"] ?? labels["sameZone"]) === "true") return undefined
  return (labels["same_region"] ?? labels["sameRegion"]) === "true" ? "zoneKib" : "regionKib"
}
