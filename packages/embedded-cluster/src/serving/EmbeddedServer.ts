/**
 * A Kubernetes API server in this process, over TLS, with its objects in memory.
 *
 * The server has the real server's formats, reasons and semantics for the kinds in {@link Resources} and for custom
 * kinds. With `controllers` it also runs the controllers and the scheduler of {@link Controllers}. Without them it
 * still empties terminating namespaces and deletes orphaned objects. There are no kubelets: only clients write the
 * status of a pod. Replies are JSON or YAML. The server reads the protobuf bodies that `kubectl` sends, see {@link
 * ProtobufKinds}, and refuses all other protobuf with 415.
 */
import { Cause, Effect, type Redacted, Result, type Scope, Semaphore } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Authentication from "../access/Authentication.ts"
import * as Controllers from "../controllers/Controllers.ts"
import { areComplete } from "../controllers/NamespaceContents.ts"
import { untilWhole } from "../controllers/WholeNamespaces.ts"
import * as Kernel from "../core/Kernel.ts"
import type { MachineRefused, PortsTaken } from "../core/Machine.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import type { RequestInfo } from "../core/RequestInfo.ts"
import { type Failure, tooLarge, toJson } from "../core/Status.ts"
import { JSON_TYPE } from "../core/TextReply.ts"
import * as CustomServing from "../customkinds/CustomServing.ts"
import * as Protobuf from "../forms/Protobuf.ts"
import { takesGzip } from "../forms/Representation.ts"
import * as Watch from "../reads/Watch.ts"
import * as Bootstrap from "../writes/Bootstrap.ts"
import * as ServiceAllocation from "../writes/ServiceAllocation.ts"
import * as Aggregator from "./Aggregator.ts"
import * as Api from "./Api.ts"
import * as EmbeddedState from "./EmbeddedState.ts"
import { type AnswerInProcess, answerInProcess } from "./InProcess.ts"
import * as Listener from "./Listener.ts"
import { LogTail } from "../core/LogTail.ts"
import * as Restartable from "./Restartable.ts"
import * as FollowedLog from "./FollowedLog.ts"
import * as ReplyWriter from "./ReplyWriter.ts"
import * as ServerCertificate from "./ServerCertificate.ts"

/** A user who authenticates by a bearer token. */
export interface EmbeddedUser {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly token: Redacted.Redacted<string>
}

export interface EmbeddedOptions {
  /** Name in the certificate's subject. */
  readonly name: string
  readonly users: ReadonlyArray<EmbeddedUser>
  /** Runs the controllers and the scheduler. Default false: nothing reconciles. */
  readonly controllers?: boolean
  /** A state from `save`. The server starts with its objects. */
  readonly from?: EmbeddedState.SavedState
  /** Changes that the history keeps. A watch from an earlier version is answered 410. Default 10,000. */
  readonly historyCapacity?: number
  /** Interval of bookmarks in a watch, in milliseconds. Default 60,000. */
  readonly bookmarkIntervalMs?: number
  /**
   * Clock of the objects' timestamps and of the controllers (default: the caller's clock). A clock that is behind gives
   * objects a creation time before the server's start. Controllers wait in real time.
   */
  readonly nowMs?: () => number
  /** Logs of pods without a log annotation. A followed log is read again every second. */
  readonly podLog?: Kernel.PodLog
}

/** Counters of the server since its start. */
export interface Counters {
  /** TLS connections accepted, over all restarts. */
  readonly connectionsAccepted: number
  readonly connectionsOpen: number
  /** Requests by verb and resource: `list pods`, `update deployments/scale`; `get path` for everything else. */
  readonly requests: ReadonlyMap<string, number>
}

/** A running server. It stops when its scope closes. */
export interface EmbeddedServer {
  readonly name: string
  /** `https://127.0.0.1:<port>`; the port stays the same across `kill` and `restart`. */
  readonly server: string
  /** PEM of the certificate that verifies `server`. */
  readonly caPem: string
  /** Answers calls of this process without a connection. */
  readonly answer: AnswerInProcess
  /** Stops the server and resets every connection, like a power failure. Killing a stopped server does nothing. */
  readonly kill: Effect.Effect<void>
  /** Kills the server if it runs, and starts it on the same port with the same objects. */
  readonly restart: Effect.Effect<void, MachineRefused>
  /** Kills the server if it runs, and starts it on the same port as a new cluster, without its objects. */
  readonly restartEmpty: Effect.Effect<void, MachineRefused>
  /** Takes a snapshot of the objects for `reset`. The first snapshot is taken at the start. */
  readonly checkpoint: Effect.Effect<void>
  /** Restores the objects of the last snapshot while the server runs. Watches receive the changes. */
  readonly reset: Effect.Effect<void>
  /** Returns the current objects, for `EmbeddedOptions.from`. */
  readonly save: Effect.Effect<EmbeddedState.SavedState>
  /** Compacts the history: watches and `continue` tokens of earlier revisions are answered 410 (Expired). */
  readonly expireHistory: Effect.Effect<void>
  /** Latest lines of the log, newest last. It never contains credentials. */
  readonly logs: Effect.Effect<string>
  readonly counters: Effect.Effect<Counters>
}

const HISTORY_CAPACITY = 10_000
const BOOKMARK_INTERVAL_MS = 60_000
const MAX_BODY_BYTES = 3 * 1024 * 1024

/**
 * Starts a server.
 *
 * **Shape** `kill` and `restart` keep the objects, which live until the scope closes.
 *
 * **Errors** `MachineRefused` or `PortsTaken` if it cannot listen, `BrokenState` if `from` is invalid.
 *
 * **Limits** the server is ready when `start` returns. Timestamps, bookmarks and timeouts use the caller's clock.
 *
 * **Example**
 *
 * ```ts
 * const admin = { name: "admin", groups: ["system:masters"], token }
 * const server = yield* EmbeddedServer.start({ name: "eu", users: [admin] })
 * const { requests } = yield* server.counters
 * assert.strictEqual(requests.get("list pods"), 1)
 * ```
 */
export const start = (
  options: EmbeddedOptions
): Effect.Effect<EmbeddedServer, EmbeddedState.BrokenState | MachineRefused | PortsTaken, Scope.Scope> =>
  Effect.gen(function* () {
    const controlled = options.controllers === true
    const saved = options.from === undefined ? undefined : yield* EmbeddedState.open(options.from)
    const kernel = yield* Kernel.make({
      historyCapacity: options.historyCapacity ?? HISTORY_CAPACITY,
      collectsLater: controlled,
      nowMs: options.nowMs,
      podLog: options.podLog,
      trust: saved?.trust,
      surroundings: ServiceAllocation.surroundings
    })
    CustomServing.follow(kernel.store, kernel.registry)
    const requests = new Map<string, number>()
    const log = new LogTail()
    const settings = {
      bookmarkIntervalMs: options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS,
      shared: new Watch.SharedLines()
    }
    const authentication = Authentication.forCluster(kernel, options.users)
    const api = Api.make(kernel, authentication, () => `127.0.0.1:${kernel.place.port}`)
    const aggregator = yield* Aggregator.make(kernel)
    const observe = (line: string) => log.add(`${new Date(kernel.nowMs()).toISOString()} ${line}`)
    const handle = handlerOf({ kernel, api, aggregator, settings }, observe, (info) => count(requests, info))
    const certificate = yield* ServerCertificate.issue(options.name)
    const listener = yield* Listener.make(certificate, handle)
    kernel.place.port = listener.port
    const begin = Effect.suspend(() => {
      const written = Bootstrap.write(kernel, listener.port)
      return Result.isSuccess(written)
        ? Effect.void
        : Effect.die(new Error(`a new cluster refused its own objects: ${written.failure.message}`))
    })
    const state = yield* EmbeddedState.make({ kernel, begin, saved })
    const controllers = Controllers.run({ kernel, caPem: certificate.certificatePem, observe })
    const background = yield* Restartable.make(Effect.andThen(aggregator.watch, controlled ? controllers : Effect.void))
    yield* background.start
    // The first snapshot includes the default objects of the initial namespaces, as on every driver.
    const checkpoint = Effect.andThen(
      controlled ? untilWhole(Effect.sync(() => areComplete(kernel))) : Effect.void,
      state.checkpoint
    )
    if (controlled) yield* checkpoint
    // Controllers do not run while the server is down or a snapshot is being restored.
    const kill = Effect.andThen(background.stop, listener.kill)
    const listen = Effect.tap(listener.listen, () => background.start)
    // Operations run one at a time. A reset that overlapped a kill would restart the controllers of a stopped server.
    const turns = yield* Semaphore.make(1)
    const exclusively = <A, E>(action: Effect.Effect<A, E>) => turns.withPermit(action)
    const resume = Effect.suspend(() => (listener.isListening() ? background.start : Effect.void))

    return {
      name: options.name,
      answer: answerInProcess({
        api,
        isUp: listener.isListening,
        onAdmitted: (info) => count(requests, info),
        observe
      }),
      server: `https://127.0.0.1:${listener.port}`,
      caPem: certificate.certificatePem,
      kill: exclusively(kill),
      restart: Effect.andThen(kill, listen).pipe(exclusively),
      restartEmpty: kill.pipe(
        Effect.andThen(state.startOver),
        Effect.andThen(listen),
        Effect.andThen(controlled ? checkpoint : Effect.void),
        exclusively
      ),
      checkpoint: exclusively(checkpoint),
      reset: background.stop.pipe(Effect.andThen(state.reset), Effect.andThen(resume), exclusively),
      save: exclusively(state.save),
      expireHistory: Effect.sync(() => kernel.store.compact()),
      logs: Effect.sync(() => log.toString()),
      counters: Effect.sync(() => ({
        connectionsAccepted: listener.accepted(),
        connectionsOpen: listener.open(),
        requests: new Map(requests)
      }))
    }
  })

const INTERNAL: Failure = { code: 500, reason: "InternalError", message: "Internal error occurred", details: {} }

const count = (requests: Map<string, number>, info: RequestInfo): void => {
  const what =
    info._tag === "Path" ? "path" : info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`
  const key = `${info.verb} ${what}`
  requests.set(key, (requests.get(key) ?? 0) + 1)
}

const sendFailure = (response: ServerResponse, failure: Failure): Effect.Effect<void> =>
  ReplyWriter.whole(response, failure.code, "application/json", JSON.stringify(toJson(failure)))

/** The parts of the server that answer requests. */
interface Serving {
  readonly kernel: Kernel.Kernel
  readonly api: Api.Api
  readonly aggregator: Aggregator.Aggregator
  readonly settings: ReplyWriter.WatchSettings
}

/** Handles HTTP requests. An unexpected error goes to the log, and the client gets a plain 500. */
const handlerOf =
  (serving: Serving, observe: (line: string) => void, onAdmitted: (info: RequestInfo) => void): Listener.Handle =>
  (request, response) =>
    Effect.scoped(answer(serving, request, response, onAdmitted)).pipe(
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

const answer = (
  { aggregator, api, kernel, settings }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
  onAdmitted: (info: RequestInfo) => void
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
      authorization: headers.authorization,
      headers: request.headersDistinct
    })
    if (Result.isFailure(admitted)) return yield* sendFailure(response, admitted.failure)
    onAdmitted(admitted.success.info)
    const body = yield* Effect.result(readBody(request))
    if (Result.isFailure(body)) return yield* sendFailure(response, body.failure)
    const { contentType, text } = textOf(body.success, headers["content-type"] ?? "")
    const reply = admitted.success.answer(text, contentType)
    switch (reply._tag) {
      case "Text":
        return yield* ReplyWriter.whole(response, reply.status, reply.contentType, reply.body, reply)
      case "Pieces": {
        const gzip = takesGzip(headers["accept-encoding"]?.toString())
        return yield* ReplyWriter.pieces(response, reply.status, reply.pieces, gzip)
      }
      case "Forward":
        return yield* aggregator.forward(response, reply)
      case "Log":
        return yield* FollowedLog.send(kernel, response, reply)
      case "Watch":
        return yield* ReplyWriter.watch(kernel, response, reply, settings)
    }
  })

/** Converts a protobuf body to JSON if it can be decoded. Otherwise the handlers refuse its media type. */
const textOf = (body: Buffer, contentType: string): { readonly contentType: string; readonly text: string } => {
  const isProtobuf = mediaRanges(contentType)[0]?.type === Protobuf.MEDIA_TYPE
  const object = isProtobuf ? Protobuf.decode(body) : undefined
  return object !== undefined && Result.isSuccess(object)
    ? { contentType: JSON_TYPE, text: JSON.stringify(object.success) }
    : { contentType, text: body.toString() }
}

/** Reads a whole body. **Errors** 413 beyond the limit. */
const readBody = (request: IncomingMessage): Effect.Effect<Buffer, Failure> =>
  Effect.callback<Buffer, Failure>((resume) => {
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
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    // If the body breaks off, the connection closes and interrupts the request.
    return Effect.sync(() => request.removeAllListeners("data"))
  })
