/** A cluster behind faults, and plain clients of it. */
import { Effect, Redacted, type Scope } from "effect"
import { Pool } from "undici"
import * as Embedded from "../../src/drivers/embedded/Embedded.ts"
import * as Faults from "../../src/faults/Faults.ts"

export const ADMIN = "admin-token"
export const USERS = [
  { name: "admin", groups: ["system:masters"], token: Redacted.make(ADMIN) },
  { name: "viewer", groups: ["team-a"], token: Redacted.make("viewer-token") }
]

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly text: string
}

export interface AskOptions {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

export interface Watching {
  /** The bytes so far. */
  readonly text: () => string
  /** Events by type and name, those of whole lines. */
  readonly events: () => ReadonlyArray<string>
  /** How it ended: `end`, or the error's code; undefined while it is open. */
  readonly ended: () => string | undefined
}

export interface PlainClient {
  readonly ask: (path: string, options?: AskOptions) => Promise<Answer>
  readonly watch: (path: string, options?: AskOptions) => Effect.Effect<Watching, never, Scope.Scope>
}

/** Names an error by its code, or that of what caused it. */
export const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if ("code" in error && typeof error.code === "string" && error.code !== "UND_ERR_SOCKET") return error.code
  return error.cause instanceof Error ? codeOf(error.cause) : error.message
}

export const client = (
  place: { readonly server: string; readonly caPem: string },
  connections: number | null = null
): Effect.Effect<PlainClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(place.server, { connect: { ca: place.caPem }, connections, bodyTimeout: 0 })),
      (pool) => Effect.promise(() => pool.destroy())
    )
    const send = (path: string, { body, headers, method = "GET", token = ADMIN }: AskOptions, signal?: AbortSignal) =>
      pool.request({
        path,
        method,
        body: body ?? null,
        headers: {
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(signal === undefined ? {} : { signal })
      })
    return {
      ask: async (path, options = {}) => {
        const { body, headers, statusCode } = await send(path, options)
        return { status: statusCode, headers, text: await body.text() }
      },
      watch: (path, options = {}) =>
        Effect.gen(function* () {
          const ending = yield* Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (ending) => Effect.sync(() => ending.abort())
          )
          const { body } = yield* Effect.promise(() => send(path, options, ending.signal))
          let text = ""
          let ended: string | undefined
          body.on("data", (chunk: Buffer) => {
            text += chunk.toString()
          })
          body.once("end", () => {
            ended ??= "end"
          })
          body.on("error", (error) => {
            ended ??= codeOf(error)
          })
          return { text: () => text, ended: () => ended, events: () => eventsIn(text) }
        })
    }
  })

const eventsIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const event: unknown = JSON.parse(line)
      return `${word(event, "type")} ${word(event, "object", "metadata", "name")}`.trim()
    })

const word = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null
        ? Object.entries(inside).find(([name]) => name === key)?.[1]
        : undefined,
    value
  )
  return typeof found === "string" ? found : ""
}

/** An embedded cluster with faults before it. */
export const faulty = (settings: Embedded.EmbeddedSettings = {}, faults: Partial<Faults.FaultsOptions> = {}) =>
  Effect.gen(function* () {
    const cluster = yield* Embedded.make(settings).start({ name: "eu", users: USERS })
    const made = yield* Faults.make({
      name: "eu",
      server: cluster.server,
      caPem: cluster.caPem,
      users: USERS,
      outages: cluster,
      ...faults
    })
    return { cluster, faults: made }
  })

export const PODS = "/api/v1/namespaces/default/pods"
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"

export const createConfigMap = (client: PlainClient, name: string, size = 1) =>
  Effect.promise(() =>
    client.ask(CONFIG_MAPS, {
      method: "POST",
      body: JSON.stringify({ metadata: { name }, data: { key: "x".repeat(size) } })
    })
  )

/** What a call comes to: its status, or the code of its failure. */
export const outcome = (call: () => Promise<Answer>): Effect.Effect<number | string> =>
  Effect.promise(() => call().then(({ status }) => status, codeOf))

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
