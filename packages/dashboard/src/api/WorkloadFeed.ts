/**
 * Rows of a workload list, kept current by a server-sent stream.
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

/** Returns the key of a row, unique across clusters. */
export const keyOf = ({ cluster, id, kind, name, namespace }: typeof WorkloadPlace.Type): string =>
  `${cluster}/${namespace}/${kind}/${name}/${id}`

/** The content of a stream over all its connections. */
export class WorkloadFeed {
  rows: Map<string, Workload> = new Map()
  /** The last coverage of each cluster. `atMs` is its arrival, in milliseconds since the epoch. */
  coverages: Map<string, { readonly coverage: Coverage; readonly atMs: number }> = new Map()
  /** Rows added after the first full set. */
  added: Set<string> = new Set()
  /** Rows that were removed. */
  gone: Set<string> = new Set()
  /** True once this connection has sent every row, or every change since `lastId`. */
  isReady = false
  isEnded = false
  /** Id of the last event. A new connection resumes after it. */
  lastId: string | undefined
  /** True once any connection has sent every row. */
  #isWhole = false

  /**
   * Makes a reader of one connection. Chunks may be cut anywhere. **Errors** throws if the text violates the contract.
   */
  reader(): (text: string, nowMs: number) => void {
    let atMs = 0
    this.isEnded = false
    this.isReady = false
    const parser = Sse.makeParser((event) => {
      if (event._tag === "Event") this.#apply(event, atMs)
    })
    return (text, nowMs) => {
      atMs = nowMs
      const error = parser.feed(text)
      if (error !== undefined) throw error
    }
  }

  #apply({ data, event, id }: Sse.Event, nowMs: number): void {
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
        // New collections: the page may still show the old ones.
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
