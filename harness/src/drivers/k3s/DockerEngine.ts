/**
 * A client of the Docker engine's HTTP API. It uses no library, so the availability check, sweeping and building the
 * image work without the optional packages.
 *
 * **Source** Docker Engine API, https://docs.docker.com/reference/api/engine/
 */
import { access, readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { Effect, Schema } from "effect"
import { Agent, request as send } from "undici"
import { setting } from "../../machine/Machine.ts"

/** No Docker engine responds at the address. */
export class EngineUnreachable extends Schema.TaggedError<EngineUnreachable>()("EngineUnreachable", {
  address: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `no Docker engine answers at ${this.address} (${why})`
  }
}

/** The engine refused a call. `text` is its message. */
export class EngineRefused extends Schema.TaggedError<EngineRefused>()("EngineRefused", {
  call: Schema.String,
  status: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return `Docker refused ${this.call}: ${this.text} (status ${this.status})`
  }
}

export type EngineError = EngineUnreachable | EngineRefused

/** A call to the engine. */
export interface EngineCall {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  /** A list is sent as one parameter per value. */
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly archive?: AsyncIterable<Uint8Array>
  /** Timeout of the response (default 60 s). */
  readonly withinMs?: number
}

const WITHIN_MS = 60_000
const CONNECT_WITHIN_MS = 5_000

const Refusal = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))
const decodeRefusal = Schema.decodeUnknownEffect(Refusal)

/**
 * Calls the engine and returns the body of the response.
 *
 * **Errors** `EngineRefused` for a status of 400 or more. **Limits** one connection per call; no retries.
 */
export const call = Effect.fnUntraced(function* (request: EngineCall): Effect.fn.Return<Buffer, EngineError> {
  const address = yield* addressOf
  const unreachable = (cause: unknown) => new EngineUnreachable({ address: address.text, cause })
  const reply = yield* Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => agentFor(address), catch: unreachable }),
    (agent) => Effect.tryPromise({ try: (signal) => answer(agent, address.base, request, signal), catch: unreachable }),
    (agent) => Effect.promise(() => agent.destroy())
  )
  if (reply.status < 400) return reply.body
  const text = reply.body.toString("utf8").trim()
  const message = yield* decodeRefusal(text).pipe(
    Effect.map(({ message }) => message),
    Effect.orElseSucceed(() => text)
  )
  return yield* new EngineRefused({ call: `${request.method} ${request.path}`, status: reply.status, text: message })
})

/** Calls the engine and decodes the JSON response. */
export const callJson =
  <A>(schema: Schema.ConstraintDecoder<A>) =>
  (request: EngineCall): Effect.Effect<A, EngineError> =>
    Effect.gen(function* () {
      const text = (yield* call(request)).toString("utf8")
      const address = yield* addressOf
      return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
        Effect.mapError((cause) => new EngineUnreachable({ address: address.text, cause }))
      )
    })

/** Ignores refusals with one of the given statuses. Each of them means that there was nothing to do. */
export const unless =
  (...statuses: ReadonlyArray<number>) =>
  (error: EngineError): Effect.Effect<void, EngineError> =>
    error._tag === "EngineRefused" && statuses.includes(error.status) ? Effect.void : Effect.fail(error)

interface Address {
  /** The address in its usual form: `unix:///var/run/docker.sock`. */
  readonly text: string
  readonly base: string
  readonly socketPath?: string
  /** Directory of the client certificate, if the engine requires one. */
  readonly certificates?: string
}

/**
 * Finds the engine by the same rules as testcontainers.
 *
 * **Source** testcontainers-node 12.2, `container-runtime/strategies`.
 */
const addressOf: Effect.Effect<Address> = Effect.gen(function* () {
  const home = (yield* setting("HOME")) ?? homedir()
  const file = yield* Effect.promise(() => propertiesIn(join(home, ".testcontainers.properties")))
  const cloud = file.get("tc.host")
  if (cloud !== undefined) return { text: cloud, base: cloud.replace(/^tcp:/, "http:") }
  const named = (yield* setting("DOCKER_HOST")) ?? file.get("docker.host")
  if (named !== undefined) {
    const verify = (yield* setting("DOCKER_TLS_VERIFY")) ?? file.get("docker.tls.verify")
    const certificates = (yield* setting("DOCKER_CERT_PATH")) ?? file.get("docker.cert.path")
    return addressFrom(named, verify === "1" ? certificates : undefined)
  }
  const runtime = yield* setting("XDG_RUNTIME_DIR")
  const sockets = [
    "/var/run/docker.sock",
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock")]),
    join(home, ".docker", "run", "docker.sock"),
    join(home, ".docker", "desktop", "docker.sock"),
    `/run/user/${process.getuid?.() ?? 0}/docker.sock`
  ]
  const found = yield* Effect.promise(() => firstThatExists(sockets))
  return addressFrom(`unix://${found ?? "/var/run/docker.sock"}`, undefined)
})

const addressFrom = (text: string, certificates: string | undefined): Address => {
  if (text.startsWith("unix://")) {
    return { text, base: "http://docker", socketPath: text.slice("unix://".length) }
  }
  const scheme = certificates === undefined ? "http:" : "https:"
  return {
    text,
    base: text.replace(/^[a-z]+:/, scheme),
    ...(certificates === undefined ? {} : { certificates })
  }
}

const agentFor = async ({ certificates, socketPath }: Address): Promise<Agent> => {
  const pems =
    certificates === undefined
      ? {}
      : {
          ca: await readFile(join(certificates, "ca.pem")),
          cert: await readFile(join(certificates, "cert.pem")),
          key: await readFile(join(certificates, "key.pem"))
        }
  const socket = socketPath === undefined ? {} : { socketPath }
  return new Agent({ connect: { ...pems, ...socket, timeout: CONNECT_WITHIN_MS } })
}

const answer = async (
  dispatcher: Agent,
  base: string,
  { archive, body, method, path, query, withinMs = WITHIN_MS }: EngineCall,
  signal: AbortSignal
) => {
  const url = new URL(path, base)
  for (const [name, values] of Object.entries(query ?? {})) {
    for (const value of [values].flat()) url.searchParams.append(name, value)
  }
  const sent = archive === undefined ? JSON.stringify(body) : Readable.from(archive)
  const reply = await send(url, {
    dispatcher,
    method,
    signal,
    headersTimeout: withinMs,
    bodyTimeout: withinMs,
    ...(sent === undefined
      ? {}
      : { body: sent, headers: { "content-type": archive === undefined ? "application/json" : "application/x-tar" } })
  })
  return { status: reply.statusCode, body: Buffer.from(await reply.body.arrayBuffer()) }
}

const PROPERTY = /^\s*([\w.]+)\s*[=:]\s*(.+?)\s*$/

const propertiesIn = async (path: string): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(path, "utf8").catch(() => "")
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value] = PROPERTY.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    })
  )
}

const firstThatExists = async (paths: ReadonlyArray<string>): Promise<string | undefined> => {
  for (const path of paths) {
    const exists = await access(path).then(
      () => true,
      () => false
    )
    if (exists) return path
  }
  return undefined
}
