/**
 * A reader of the workload stream. It parses events by hand, to be no slower than the service.
 */
import { type ClientRequest, request } from "node:http"
import { WRITTEN } from "../fleet/Writes.ts"
import { Arrivals } from "./Arrivals.ts"

const WATCH = "/api/v1/workloads/watch"
const NANOS_PER_MS = 1_000_000

export const nowMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MS

/** The fields of a row, or of the key of a deleted row, that the reader uses. */
interface Named {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly id: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Returns the name of a row. A plain watch knows the same parts. */
export const rowOf = ({ cluster, name, namespace }: Pick<Named, "cluster" | "namespace" | "name">): string =>
  `${cluster}/${namespace}/${name}`

/** Returns the identity of a row: its name, kind and id. */
export const keyOf = (row: Named): string => `${rowOf(row)}/${row.kind}/${row.id}`

const textOf = (value: unknown, field: string): string => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined
  return typeof text === "string" ? text : ""
}

export const namedOf = (value: unknown): Named => {
  const written = textOf(typeof value === "object" && value !== null ? Reflect.get(value, "labels") : {}, WRITTEN)
  return {
    cluster: textOf(value, "cluster"),
    namespace: textOf(value, "namespace"),
    kind: textOf(value, "kind"),
    name: textOf(value, "name"),
    id: textOf(value, "id"),
    labels: written === "" ? {} : { [WRITTEN]: written }
  }
}

export class Reader {
  /** The JSON of each current row. */
  readonly rows = new Map<string, string>()
  readonly arrivals = new Arrivals()
  isReady = false
  isEnded = false
  resets = 0
  readonly #outgoing: ClientRequest
  #held = ""

  constructor(port: number, key: string) {
    const headers = { authorization: `Bearer ${key}`, "x-service-cluster": "*", accept: "text/event-stream" }
    this.#outgoing = request({ port, host: "127.0.0.1", path: WATCH, agent: false, headers }, (incoming) => {
      if (incoming.statusCode !== 200) this.isEnded = true
      incoming.setEncoding("utf8")
      incoming.on("data", (chunk: string) => this.#take(chunk))
      incoming.on("close", () => this.#end())
      incoming.on("error", () => this.#end())
    })
    this.#outgoing.on("error", () => this.#end())
    this.#outgoing.end()
  }

  close(): void {
    this.#outgoing.destroy()
  }

  #end(): void {
    this.isEnded = true
  }

  #take(chunk: string): void {
    const blocks = (this.#held + chunk).split("\n\n")
    this.#held = blocks.pop() ?? ""
    const at = nowMs()
    for (const block of blocks) this.#hear(block, at)
  }

  #hear(block: string, at: number): void {
    const lines = block.split("\n")
    const of = (field: string) => lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2) ?? ""
    const data = of("data")
    switch (of("event")) {
      case "row": {
        const row = namedOf(JSON.parse(data))
        this.rows.set(keyOf(row), data)
        this.arrivals.note(rowOf(row), Number(row.labels?.[WRITTEN] ?? 0) / NANOS_PER_MS, at)
        return
      }
      case "gone": {
        const row = namedOf(JSON.parse(data))
        this.rows.delete(keyOf(row))
        this.arrivals.note(rowOf(row), Number.POSITIVE_INFINITY, at)
        return
      }
      case "reset":
        this.rows.clear()
        this.resets++
        return
      case "ready":
        this.isReady = true
        return
      case "end":
        this.isEnded = true
        break
      default:
        // Coverage is ignored.
        break
    }
  }
}
