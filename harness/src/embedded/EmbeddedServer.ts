/**
 * A Kubernetes API server in this process, over TLS, with its objects in memory.
 *
 * It speaks the real server's formats, words and semantics for the kinds in {@link Resources}; it runs no controllers,
 * but empties namespaces that end and removes what has lost its owner. It answers JSON; a protobuf body is refused with
 * 415, which `kubectl --validate=false` avoids.
 *
 * @since 0.1.0
 */
import { Cause, Effect, Result, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ClusterOptions, RunningCluster } from "../ClusterDriver.ts"
import { HarnessError, MachineRefused } from "../HarnessError.ts"
import * as Api from "./Api.ts"
import * as Authentication from "./Authentication.ts"
import * as Bootstrap from "./Bootstrap.ts"
import * as Certificate from "./Certificate.ts"
import * as Kernel from "./Kernel.ts"
import * as Listener from "./Listener.ts"
import { mediaRanges } from "./Representation.ts"
import type { RequestInfo } from "./RequestInfo.ts"
import * as Sending from "./Sending.ts"
import { type Failure, tooLarge, toJson } from "./Status.ts"
import * as Watch from "./Watch.ts"

export interface EmbeddedOptions extends Pick<ClusterOptions, "name" | "users"> {
  /** How many changes can be replayed; a watch from further back is answered 410. Default 10,000. */
  readonly historyCapacity?: number
  /** How often a quiet watch is told its version. Default 60,000. */
  readonly bookmarkIntervalMs?: number
}

/** What the server has seen, counted on its own side. */
export interface Counters {
  /** TLS connections accepted since the start, over all restarts. */
  readonly connectionsAccepted: number
  readonly connectionsOpen: number
  /** Requests by verb and resource: `list pods`, `update deployments/scale`; `get path` for everything else. */
  readonly requests: ReadonlyMap<string, number>
}

export interface EmbeddedServer extends RunningCluster {
  readonly counters: Effect.Effect<Counters>
}

const HISTORY_CAPACITY = 10_000
const BOOKMARK_INTERVAL_MS = 60_000
const MAX_BODY_BYTES = 3 * 1024 * 1024
/** Lines of the log that are kept. */
const LOG_LINES = 1_000

/**
 * Starts a server.
 *
 * **Shape** the state lives until the scope closes: `kill` and `restart` keep it, like a machine that comes back.
 *
 * **Errors** `MachineRefused` when it cannot listen.
 *
 * **Limits** ready when it returns; time is that of the caller's clock, also for bookmarks and timeouts.
 *
 * **Example**
 *
 * ```ts
 * const admin = { name: "admin", groups: ["system:masters"], token }
 * const server = yield* EmbeddedServer.start({ name: "eu", users: [admin] })
 * const { requests } = yield* server.counters
 * assert.strictEqual(requests.get("list pods"), 1)
 * ```
 *
 * @since 0.1.0
 */
export const start = (options: EmbeddedOptions): Effect.Effect<EmbeddedServer, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const kernel = yield* Kernel.make(options.historyCapacity ?? HISTORY_CAPACITY)
    const requests = new Map<string, number>()
    const log: Array<string> = []
    const settings = {
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS,
      shared: new Watch.SharedLines()
    }
    const place = { port: 0 }
    const api = Api.make(kernel, Authentication.make(options.users), () => `127.0.0.1:${place.port}`)
    const observe = (line: string) => {
      log.push(`${new Date(kernel.nowMs()).toISOString()} ${line}`)
      if (log.length > LOG_LINES) log.shift()
    }
    const handle: Listener.Handle = (request, response) => {
      const handled = Effect.scoped(answer(kernel, api, settings, request, response, (info) => count(requests, info)))
      return handled.pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.suspend(() => {
                observe(`${request.method} failed: ${Cause.pretty(cause)}`)
                return response.headersSent ? Effect.sync(() => response.destroy()) : sendFailure(response, INTERNAL)
              })
        ),
        Effect.ensuring(Effect.sync(() => observe(`${request.method} ${request.url} ${response.statusCode}`)))
      )
    }
    const certificate = yield* Certificate.issue(options.name)
    const listener = yield* Listener.make(certificate, handle)
    place.port = listener.port
    const written = Bootstrap.write(kernel, listener.port)
    if (Result.isFailure(written))
      return yield* Effect.die(new Error(`a new cluster refused its own objects: ${written.failure.message}`))

    return {
      name: options.name,
      server: `https://127.0.0.1:${listener.port}`,
      caPem: certificate.certificatePem,
      kill: listener.kill,
      restart: Effect.andThen(listener.kill, listener.listen).pipe(
        Effect.mapError((reason) => inCluster(options.name, reason))
      ),
      expireHistory: Effect.sync(() => kernel.store.compact()),
      logs: Effect.sync(() => log.map((line) => `${line}\n`).join("")),
      counters: Effect.sync(() => ({
        connectionsAccepted: listener.accepted(),
        connectionsOpen: listener.open(),
        requests: new Map(requests)
      }))
    }
  }).pipe(Effect.mapError((error) => (error instanceof HarnessError ? error : inCluster(options.name, error))))

const inCluster = (cluster: string, reason: MachineRefused) => new HarnessError({ cluster, reason })

const INTERNAL: Failure = { code: 500, reason: "InternalError", message: "Internal error occurred", details: {} }

const count = (requests: Map<string, number>, info: RequestInfo): void => {
  const what =
    info._tag === "Path" ? "path" : info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`
  const key = `${info.verb} ${what}`
  requests.set(key, (requests.get(key) ?? 0) + 1)
}

const sendFailure = (response: ServerResponse, failure: Failure): Effect.Effect<void> =>
  Sending.whole(response, failure.code, "application/json", JSON.stringify(toJson(failure)))

const answer = (
  kernel: Kernel.Kernel,
  api: Api.Api,
  settings: Sending.WatchSettings,
  request: IncomingMessage,
  response: ServerResponse,
  seen: (info: RequestInfo) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { headers } = request
    const url = new URL(request.url ?? "/", "https://127.0.0.1")
    const admitted = api.admit({
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      accept: headers.accept,
      contentType: headers["content-type"] ?? "",
      userAgent: headers["user-agent"] ?? "",
      authorization: headers.authorization
    })
    if (Result.isFailure(admitted)) return yield* sendFailure(response, admitted.failure)
    seen(admitted.success.info)
    const body = yield* Effect.result(readBody(request))
    if (Result.isFailure(body)) return yield* sendFailure(response, body.failure)
    const reply = admitted.success.answer(body.success)
    switch (reply._tag) {
      case "Text":
        return yield* Sending.whole(response, reply.status, reply.contentType, reply.body)
      case "Pieces": {
        const gzip = mediaRanges(headers["accept-encoding"]?.toString()).some(({ type }) => type === "gzip")
        return yield* Sending.pieces(response, reply.status, reply.pieces, gzip)
      }
      case "Watch":
        return yield* Sending.watch(kernel, response, reply, settings)
    }
  })

/** Reads a whole body. **Errors** 413 beyond the limit. */
const readBody = (request: IncomingMessage): Effect.Effect<string, Failure> =>
  Effect.callback<string, Failure>((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > MAX_BODY_BYTES) {
        request.removeAllListeners("data")
        request.resume()
        return resume(Effect.fail(tooLarge(MAX_BODY_BYTES)))
      }
      chunks.push(chunk)
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString())))
    // A body that breaks off ends with its connection, and that interrupts the request.
    return Effect.sync(() => request.removeAllListeners("data"))
  })
