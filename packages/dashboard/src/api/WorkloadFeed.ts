/**
 * The rows of a list as a stream of the server tells them.
 */
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Schema } from "effect"
import { Sse } from "effect/encoding"
import type { Coverage } from "./Shapes.ts"
import type { Workload } from "./WorkloadQueries.ts"

const WorkloadPlace = Schema.Struct({
  id: Schema.String,
  cluster: Schema.String,
  kind: Schema.String,
  namespace: Schema.String,
  name: Schema.String
})

const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))

const decodeRow = json(WorkloadList.fields.workloads.value)
const decodePlace = json(WorkloadPlace)
const decodeCoverage = json(WorkloadList.fields.clusters.value)

/** What names a row among those of all clusters. */
export const keyOf = ({ cluster, id, kind, name, namespace }: typeof WorkloadPlace.Type): string =>
  `${cluster}/${namespace}/${kind}/${name}/${id}`

/** What a stream has told until now, over as many connections as it took. */
export class WorkloadFeed {
  rows: Map<string, Workload> = new Map()
  /** The last coverage of each cluster, and `atMs`, when it came, in milliseconds since the epoch. */
  coverages: Map<string, { readonly coverage: Coverage; readonly atMs: number }> = new Map()
  /** What came after the first full set. */
  added: Set<string> = new Set()
  /** What was there, and is not any more. */
  gone: Set<string> = new Set()
  /** Whether the connection has told every row that there is, or all that was missed. */
  isReady = false
  isEnded = false
  /** What a further connection says to go on here. */
  lastId: string | undefined
  /** Whether every row was told once, by whichever connection. */
  #isWhole = false

  /**
   * Makes what takes the text of one connection, however it is cut. **Errors** throws for what is not of the contract.
   */
  reader(): (text: string, nowMs: number) => void {
    let atMs = 0
    this.isEnded = false
    this.isReady = false
    const parser = Sse.makeParser((event) => {
      if (event._tag === "Event") this.#hear(event, atMs)
    })
    return (text, nowMs) => {
      atMs = nowMs
      const fault = parser.feed(text)
      if (fault !== undefined) throw fault
    }
  }

  #hear({ data, event, id }: Sse.Event, nowMs: number): void {
    this.lastId = id ?? this.lastId
    switch (event) {
      case "row": {
        const row = decodeRow(data)
        const key = keyOf(row)
        if (this.#isWhole && !this.rows.has(key)) this.added.add(key)
        this.rows.set(key, row)
        this.gone.delete(key)
        return
      }
      case "gone": {
        const key = keyOf(decodePlace(data))
        this.rows.delete(key)
        this.added.delete(key)
        this.gone.add(key)
        return
      }
      case "coverage": {
        const coverage = decodeCoverage(data)
        this.coverages.set(coverage.name, { coverage, atMs: nowMs })
        return
      }
      case "ready":
        this.isReady = true
        this.#isWhole = true
        return
      case "reset":
        // What was shown of them until now stays with who shows it.
        this.rows = new Map()
        this.coverages = new Map()
        this.added = new Set()
        this.gone = new Set()
        this.isReady = false
        this.#isWhole = false
        return
      case "end":
        this.isEnded = true
    }
  }
}
