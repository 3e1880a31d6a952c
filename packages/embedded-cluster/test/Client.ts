/** A server and a plain HTTP client for tests, which write out their requests. */
import { Effect, Redacted, type Scope } from "effect"
import { Agent, type Dispatcher } from "undici"
import { at, isArray, isObject, type Json, type JsonObject, parse, textAt } from "../src/core/Json.ts"
import * as EmbeddedServer from "../src/serving/EmbeddedServer.ts"

export const ADMIN = "admin-token"
export const VIEWER = "viewer-token"

export const USERS = [
  { name: "admin", groups: ["system:masters"], token: Redacted.make(ADMIN) },
  { name: "viewer", groups: ["team-a"], token: Redacted.make(VIEWER) }
]

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly json: JsonObject
  readonly headers: Dispatcher.ResponseData["headers"]
}

export interface CallOptions {
  readonly body?: JsonObject | string
  readonly type?: string
  readonly accept?: string
  readonly acceptEncoding?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
}

interface Events {
  /** Waits for the next event. Returns `undefined` after the stream has ended. */
  readonly next: Effect.Effect<JsonObject | undefined>
  readonly take: (count: number) => Effect.Effect<ReadonlyArray<JsonObject>>
  readonly rest: Effect.Effect<ReadonlyArray<JsonObject>>
}

export interface Client {
  readonly call: (method: string, path: string, options?: CallOptions) => Effect.Effect<Answer>
  readonly watch: (path: string, options?: CallOptions) => Effect.Effect<Events, never, Scope.Scope>
}

const MERGE = "application/merge-patch+json"
export const patching = (body: JsonObject, type = MERGE): CallOptions => ({ body, type })

/** Opens new connections to a server, which close with the scope. */
export const connect = (server: {
  readonly server: string
  readonly caPem: string
}): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.gen(function* () {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ connect: { ca: server.caPem } })),
      (agent) => Effect.promise(() => agent.destroy())
    )
    const send = (
      method: string,
      path: string,
      { accept, acceptEncoding, body, headers, token = ADMIN, type }: CallOptions,
      signal: AbortSignal
    ) =>
      agent.request({
        origin: server.server,
        path,
        method,
        signal,
        headers: {
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
          accept: accept ?? "application/json",
          ...(acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding }),
          ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
          ...Object.fromEntries(
            Object.entries(headers ?? {}).map(([name, value]) => [name, typeof value === "string" ? value : [...value]])
          )
        },
        body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body)
      })
    return {
      call: (method, path, options = {}) =>
        Effect.promise(async (signal) => {
          const { body, headers, statusCode } = await send(method, path, options, signal)
          const text = await body.text()
          const type = String(headers["content-type"])
          const json =
            text !== "" && type.startsWith("application/json") && headers["content-encoding"] === undefined
              ? parse(text)
              : {}
          return { status: statusCode, type, text, headers, json: isObject(json) ? json : {} }
        }),
      watch: (path, options = {}) =>
        Effect.gen(function* () {
          const aborter = yield* Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (aborter) => Effect.sync(() => aborter.abort())
          )
          const { body } = yield* Effect.promise(() => send("GET", path, options, aborter.signal))
          // The end of a test aborts the stream, which is not a failure.
          body.on("error", () => undefined)
          const lines = linesOf(body)
          const next = Effect.promise(async () => {
            const line = await lines.next()
            if (line.done === true) return undefined
            const event = parse(line.value)
            return isObject(event) ? event : undefined
          })
          const take = (count: number) =>
            Effect.gen(function* () {
              const events: Array<JsonObject> = []
              while (events.length < count) {
                const event = yield* next
                if (event === undefined) break
                events.push(event)
              }
              return events
            })
          return { next, take, rest: take(Number.POSITIVE_INFINITY) }
        })
    }
  })

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ""
  for await (const chunk of body) {
    const lines = `${rest}${chunk.toString()}`.split("\n")
    rest = lines.pop() ?? ""
    yield* lines.filter((line) => line !== "")
  }
}

/** A server and an administrator's client, for one test. */
export const started = (options: Partial<EmbeddedServer.EmbeddedOptions> = {}) =>
  Effect.gen(function* () {
    const server = yield* EmbeddedServer.start({ name: "test", users: USERS, ...options })
    return { server, ...(yield* connect(server)) }
  })

/** Prints an event briefly: type, name and optionally a field. */
export const brief = (event: JsonObject | undefined): string => {
  const object = at(event, "object")
  return `${textAt(event, "type")} ${textAt(object, "metadata", "name")}`
}

export const revisionOf = (object: Json | undefined): number => Number(textAt(object, "metadata", "resourceVersion"))

export const namesOf = (list: JsonObject): ReadonlyArray<string> => {
  const items = list["items"]
  return isArray(items) ? items.map((item) => textAt(item, "metadata", "name")) : []
}

export const configMap = (name: string, labels: JsonObject = {}, data: JsonObject = { key: "value" }): JsonObject => ({
  metadata: { name, labels },
  data
})

export const pod = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "registry.example/app:1" }], ...spec }
})

export const deployment = (name: string, replicas = 2): JsonObject => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "main", image: "registry.example/app:1", env: [{ name: "A", value: "1" }] }] }
    }
  }
})
