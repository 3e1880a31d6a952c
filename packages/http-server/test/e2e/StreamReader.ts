/** Reads server-sent events over real HTTP, and keeps what they tell. */
import { assert } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { ClusterRow, WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { Effect, Schema } from "effect"
import { Sse } from "effect/encoding"
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"
import { Deployment, type KeyName, rawKey } from "./Deployment.ts"

export interface Reading {
  readonly key?: KeyName
  readonly bearer?: string
  readonly target?: string
  readonly lastEventId?: string
}

/** What a reader has before it opens a stream. */
export type Had<Row> = ReadonlyMap<string, Row>

const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema), { onExcessProperty: "error" })

const Gone = Schema.Struct({
  id: Schema.String,
  cluster: Schema.String,
  kind: Schema.String,
  namespace: Schema.String,
  name: Schema.String
})

const decodeCoverage = json(Coverage)
const decodeEnd = json(Schema.Struct({ code: Schema.String }))

/** What rows of one stream are told by. */
interface Form<Row> {
  readonly row: (text: string) => Row
  readonly keyOf: (row: Row) => string
  readonly goneKey: (text: string) => string
}

const placeOf = ({ cluster, id, kind, name, namespace }: typeof Gone.Type) =>
  `${cluster}/${namespace}/${kind}/${name}/${id}`

export const workloads: Form<WorkloadRow> = {
  row: json(WorkloadRow),
  keyOf: placeOf,
  goneKey: (text) => placeOf(json(Gone)(text))
}

const GoneCluster = Schema.Struct({ name: Schema.String })

export const clusters: Form<ClusterRow> = {
  row: json(ClusterRow),
  keyOf: ({ name }) => name,
  goneKey: (text) => json(GoneCluster)(text).name
}

/** Rows in an order that does not depend on how they came. */
export const placesOf = (rows: Iterable<WorkloadRow>): ReadonlyArray<WorkloadRow> =>
  [...rows].toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))

/** One reader: what it was told, and what follows from it. */
export class StreamReader<Row> {
  readonly rows: Map<string, Row>
  readonly coverage = new Map<string, Coverage>()
  /** The names of all events, in order. */
  readonly names: Array<string> = []
  /** Each row that was told, in order. */
  readonly told: Array<Row> = []
  readonly gone: Array<string> = []
  comments = 0
  status = 0
  headers: IncomingHttpHeaders = {}
  text = ""
  lastId: string | undefined
  isReady = false
  endCode: string | undefined
  isClosed = false
  /** Told that went wrong, if something did. */
  fault: unknown
  readonly #form: Form<Row>
  readonly #parser = Sse.makeParser((event) => {
    if (event._tag === "Event") this.#hear(event)
  })

  constructor(form: Form<Row>, had: Had<Row>) {
    this.#form = form
    this.rows = new Map(had)
  }

  feed(chunk: string): void {
    this.text += this.status === 200 ? "" : chunk
    this.comments += chunk.split("\n").filter((line) => line.startsWith(":")).length
    try {
      this.#parser.feed(chunk)
    } catch (fault) {
      this.fault = fault
    }
  }

  #hear({ data, event, id }: Sse.Event): void {
    this.names.push(event)
    this.lastId = id ?? this.lastId
    switch (event) {
      case "row": {
        const row = this.#form.row(data)
        this.told.push(row)
        this.rows.set(this.#form.keyOf(row), row)
        return
      }
      case "gone": {
        const key = this.#form.goneKey(data)
        this.gone.push(key)
        this.rows.delete(key)
        return
      }
      case "coverage": {
        const coverage = decodeCoverage(data)
        this.coverage.set(coverage.name, coverage)
        return
      }
      case "ready":
        this.isReady = true
        return
      case "reset":
        this.rows.clear()
        this.isReady = false
        return
      case "end":
        this.endCode = decodeEnd(data).code
        return
      default:
        throw new RangeError(`there is no event ${event}`)
    }
  }
}

/** Opens a stream until the scope ends. **Shape** the reader is there once the reply's headers are. */
export const open = Effect.fnUntraced(function* <Row>(
  form: Form<Row>,
  path: string,
  reading: Reading = {},
  had: Had<Row> = new Map()
) {
  const { url } = yield* Deployment
  const { bearer = rawKey(reading.key ?? "viewer"), lastEventId, target } = reading
  const reader = new StreamReader(form, had)
  const connected = Effect.callback<readonly [ClientRequest, IncomingMessage], Error>((resume) => {
    const outgoing = request(`${url}${path}`, {
      agent: false,
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: "text/event-stream",
        ...(target === undefined ? {} : { "x-service-cluster": target }),
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
      }
    })
    outgoing.on("response", (incoming) => resume(Effect.succeed([outgoing, incoming])))
    outgoing.on("error", (error) => {
      reader.isClosed = true
      resume(Effect.fail(error))
    })
    outgoing.end()
    return Effect.sync(() => outgoing.destroy())
  })
  const [outgoing, incoming] = yield* Effect.acquireRelease(connected, ([outgoing]) =>
    Effect.sync(() => outgoing.destroy())
  )
  reader.status = incoming.statusCode ?? 0
  reader.headers = incoming.headers
  incoming.setEncoding("utf8")
  incoming.on("data", (chunk: string) => reader.feed(chunk))
  incoming.on("close", () => {
    reader.isClosed = true
  })
  incoming.on("error", () => {
    reader.isClosed = true
  })
  return Object.assign(reader, {
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    close: () => outgoing.destroy()
  })
})

/** Opens a stream and waits for its first full set. */
export const openReady = Effect.fnUntraced(function* <Row>(form: Form<Row>, path: string, reading: Reading = {}) {
  const reader = yield* open(form, path, reading)
  yield* until("the first set", reader, ({ isReady }) => isReady)
  return reader
})

/** Waits until a reader was told something. */
export const until = <R extends { readonly fault: unknown }>(
  what: string,
  reader: R,
  holds: (reader: R) => boolean,
  within: `${number} seconds` = "10 seconds"
) =>
  eventually(
    what,
    Effect.sync(() => {
      assert.isUndefined(reader.fault, String(reader.fault))
      return reader
    }),
    holds,
    { within, every: "10 millis" }
  )
