/** Reads the examples of docs/cost-model/allocation.md: what was there, what is charged, and the arithmetic. */
import type {
  ContainerFacts,
  HourFacts,
  LoadBalancerFacts,
  NodeFacts,
  PodFacts,
  UsageSlices,
  VolumeFacts
} from "../../src/allocation/HourFacts.ts"
import type { PodEgress } from "../../src/usage/UsageSource.ts"
import { withEgress } from "../../src/usage/EgressByName.ts"
import { GIB_BYTES } from "../../src/hour/Units.ts"
import { at, container, facts, MIB, node, pod, series, span, SPOT, startMs } from "./facts.ts"

type Row = Readonly<Record<string, string>>

export interface Table {
  readonly head: string
  readonly rows: ReadonlyArray<Row>
}

interface Charge {
  readonly to: string
  readonly measure: string
  readonly amount: number
  readonly because: string
}

export interface Example {
  readonly title: string
  readonly facts: HourFacts
  readonly charges: ReadonlyArray<Charge>
}

/** Sections with a table of charges. */
export const examplesOf = (page: string): ReadonlyArray<Example> =>
  page
    .split(/^#+ /m)
    .map((section) => ({ title: section.split("\n")[0] ?? "", tables: tablesOf(section) }))
    .filter(({ tables }) => tables.some(({ head }) => head === "charged to"))
    .map(({ tables, title }) => {
      const rowsOf = (head: string) => tables.filter((table) => table.head === head).flatMap(({ rows }) => rows)
      return { title, facts: factsOf(rowsOf), charges: rowsOf("charged to").map(chargeOf) }
    })

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The tables of a section, each named by the head of its first column. */
export const tablesOf = (section: string): ReadonlyArray<Table> =>
  section
    .split(/\n{2,}/)
    .filter((block) => block.startsWith("|"))
    .map((block) => {
      const [head = [], , ...rows] = block.trim().split("\n").map(cellsOf)
      return {
        head: head[0] ?? "",
        rows: rows.map((cells) => Object.fromEntries(head.map((name, place) => [name, cells[place] ?? ""])))
      }
    })

const textOf = (row: Row, name: string): string => {
  const text = row[name]
  if (text === undefined) throw new Error(`a table has no ${name}`)
  return text
}

const numberOf = (row: Row, name: string, absent?: number): number => {
  if (row[name] === undefined && absent !== undefined) return absent
  const text = textOf(row, name).replaceAll(",", "")
  const value = Number(text)
  if (text === "" || Number.isNaN(value)) throw new Error(`${name} is no number: ${text}`)
  return value
}

const spanOf = (row: Row) => span(textOf(row, "from"), textOf(row, "to"))
const listOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(", "))

const chargeOf = (row: Row): Charge => ({
  to: textOf(row, "charged to"),
  measure: textOf(row, "measure"),
  amount: numberOf(row, "amount"),
  because: textOf(row, "because")
})

const factsOf = (rowsOf: (head: string) => ReadonlyArray<Row>): HourFacts => {
  const seen = rowsOf("seen").map((row) => span(textOf(row, "seen"), textOf(row, "to")))
  const volumes = rowsOf("volume")
  return facts({
    ...(seen.length === 0 ? {} : { seen }),
    nodes: rowsOf("node").map(nodeOf),
    pods: podsOf(rowsOf("container"), rowsOf("usage of"), volumes, rowsOf("egress of")),
    volumes: volumes.map(volumeOf),
    loadBalancers: rowsOf("load balancer").map(loadBalancerOf)
  })
}

const nodeOf = (row: Row): NodeFacts =>
  node(textOf(row, "node"), {
    labels: row["capacity"] === "spot" ? SPOT : {},
    cpuMillis: numberOf(row, "cores") * 1_000,
    memoryBytes: numberOf(row, "GiB") * GIB_BYTES,
    gpus: numberOf(row, "GPUs", 0),
    spans: [spanOf(row)]
  })

const podsOf = (
  rows: ReadonlyArray<Row>,
  usages: ReadonlyArray<Row>,
  volumes: ReadonlyArray<Row>,
  egresses: ReadonlyArray<Row>
): ReadonlyArray<PodFacts> => {
  const podName = (row: Row) => textOf(row, "container").split("/")[0] ?? ""
  const uidOf = (row: Row) => row["uid"] ?? `uid-${podName(row)}`
  const askingOf = (row: Row) => ["container", "CPU request", "MiB request"].map((name) => textOf(row, name)).join(" ")
  const pods = [...Map.groupBy(rows, uidOf)].map(([uid, own]): PodFacts => {
    const [first = {}] = own
    const name = podName(first)
    const containers = [...Map.groupBy(own, askingOf).values()].map((runs) => {
      const path = textOf(runs[0] ?? {}, "container")
      return containerOf(
        path,
        runs,
        usages.filter((row) => row["usage of"] === path)
      )
    })
    return pod(name, {
      uid,
      workload: series(textOf(first, "of")),
      node: first["on"] ?? "",
      containers,
      claims: volumes.filter((row) => listOf(textOf(row, "held by")).includes(name)).map((row) => textOf(row, "claim"))
    })
  })
  return withEgress(pods, egresses.map(egressOf), startMs)
}

const egressOf = (row: Row): PodEgress => ({
  namespace: "shop",
  pod: textOf(row, "egress of"),
  egress: {
    zoneKib: numberOf(row, "zone KiB"),
    regionKib: numberOf(row, "region KiB"),
    internetKib: numberOf(row, "internet KiB")
  }
})

const roleOf = (text = "main"): ContainerFacts["role"] => {
  if (text === "main" || text === "init" || text === "sidecar") return text
  throw new Error(`no role of a container: ${text}`)
}

const containerOf = (path: string, runs: ReadonlyArray<Row>, usages: ReadonlyArray<Row>): ContainerFacts => {
  const [first = {}] = runs
  return container({
    name: path.split("/")[1] ?? "",
    role: roleOf(first["role"]),
    runs: runs.map(spanOf),
    cpuRequestMillis: numberOf(first, "CPU request"),
    memoryRequestBytes: numberOf(first, "MiB request") * MIB,
    gpus: numberOf(first, "GPUs", 0),
    ...(usages.length === 0 ? {} : { usage: slicesOf(usages) })
  })
}

const slicesOf = (rows: ReadonlyArray<Row>): UsageSlices => ({
  fromMs: rows.map((row) => at(textOf(row, "from"))),
  toMs: rows.map((row) => at(textOf(row, "to"))),
  cpuMillis: rows.map((row) => numberOf(row, "CPU")),
  memoryBytes: rows.map((row) => numberOf(row, "MiB") * MIB),
  ...(rows.some((row) => row["CPU allocated"] !== undefined)
    ? { cpuAllocatedMillis: rows.map((row) => numberOf(row, "CPU allocated")) }
    : {})
})

const volumeOf = (row: Row): VolumeFacts => ({
  namespace: textOf(row, "claim") === "" ? "" : "shop",
  claim: textOf(row, "claim"),
  name: textOf(row, "volume"),
  storageClass: textOf(row, "class"),
  bytes: numberOf(row, "GiB") * GIB_BYTES,
  spans: [spanOf(row)]
})

const loadBalancerOf = (row: Row): LoadBalancerFacts => ({
  namespace: "shop",
  name: textOf(row, "load balancer"),
  spans: [spanOf(row)],
  pods: listOf(textOf(row, "before")).map((name) => `uid-${name}`)
})
