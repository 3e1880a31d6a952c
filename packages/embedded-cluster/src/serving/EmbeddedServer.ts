/**
 * A Kubernetes API server in this process, over TLS, with its objects in memory.
 *
 * It has the real server's formats, reasons and semantics for the kinds in {@link Resources} and those that definitions
 * add. With `controllers` it also does what the controller manager and the scheduler do, see {@link Controllers}; without
 * them it empties namespaces that end and removes what has lost its owner, and nothing else happens of its own accord.
 * Nothing runs in its pods: what they report is what a kubelet, real or not, writes into their status. It answers JSON;
 * of bodies in protobuf it reads those that `kubectl` sends, see {@link ProtobufKinds}, and refuses others with 415.
 */
import { Cause, Effect, type Redacted, Result, type Scope, Semaphore } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Authentication from "../access/Authentication.ts"
import * as Controllers from "../controllers/Controllers.ts"
import { areComplete } from "../controllers/NamespaceContents.ts"
import { untilWhole } from "../controllers/WholeNamespaces.ts"
import * as Kernel from "../core/Kernel.ts"
import type { MachineRefused } from "../core/MachineRefused.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import type { PortsTaken } from "../core/PortsTaken.ts"
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

/** Somebody who may authenticate by a bearer token. */
export interface EmbeddedUser {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly token: Redacted.Redacted<string>
}

export interface EmbeddedOptions {
  /** Stands in the certificate's subject and nowhere else. */
  readonly name: string
  readonly users: ReadonlyArray<EmbeddedUser>
  /** Whether controllers and a scheduler run; without them nothing reconciles. Default false. */
  readonly controllers?: boolean
  /** What `save` gave: the server starts with the objects that it holds. */
  readonly from?: EmbeddedState.SavedState
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

/** A server that answers; it ends with the scope that started it. */
export interface EmbeddedServer {
  readonly name: string
  /** `https://127.0.0.1:<port>`; the port stays the same across `kill` and `restart`. */
  readonly server: string
  /** PEM of the certificate that verifies `server`. */
  readonly caPem: string
  /** Answers calls of this process without a connection. */
  readonly answer: AnswerInProcess
  /** Cuts every connection, as a power failure would. Killing twice is no error. */
  readonly kill: Effect.Effect<void>
  /** Stops the server if it still runs, and starts it on the same port with the same objects. */
  readonly restart: Effect.Effect<void, MachineRefused>
  /** Stops the server if it still runs, and starts it on the same port as a new one: every object is lost. */
  readonly restartEmpty: Effect.Effect<void, MachineRefused>
  /** Takes the present objects as those that `reset` goes back to; until then it goes back to the start. */
  readonly checkpoint: Effect.Effect<void>
  /** Takes the objects back to the last checkpoint while the server runs on; watches see it. */
  readonly reset: Effect.Effect<void>
  /** Gives the objects as they are now, for `EmbeddedOptions.from`. */
  readonly save: Effect.Effect<EmbeddedState.SavedState>
  /** Forgets every revision before now: older watches and `continue` tokens are answered 410 (Expired). */
  readonly expireHistory: Effect.Effect<void>
  /** The end of its log, newest line last; credentials never appear in it. */
  readonly logs: Effect.Effect<string>
  readonly counters: Effect.Effect<Counters>
}

const HISTORY_CAPACITY = 10_000
const BOOKMARK_INTERVAL_MS = 60_000
const MAX_BODY_BYTES = 3 * 1024 * 1024
/**
 * Starts a server.
 *
 * **Shape** the state lives until the scope closes: `kill` and `restart` keep it, like a machine that comes back.
 *
 * **Errors** `MachineRefused` or `PortsTaken` when it cannot listen, `BrokenState` when `from` is no state.
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
    // As the ready cluster of every driver, with what controllers give the first namespaces.
    const checkpoint = Effect.andThen(
      controlled ? untilWhole(Effect.sync(() => areComplete(kernel))) : Effect.void,
      state.checkpoint
    )
    if (controlled) yield* checkpoint
    // Nobody reconciles while the machine is off, or while what there is to reconcile is put back.
    const kill = Effect.andThen(background.stop, listener.kill)
    const listen = Effect.tap(listener.listen, () => background.start)
    // One after the other: a reset that went on beside a kill would leave controllers at work in a dead cluster.
    const turns = yield* Semaphore.make(1)
    const inTurn = <A, E>(action: Effect.Effect<A, E>) => turns.withPermit(action)
    const resume = Effect.suspend(() => (listener.isListening() ? background.start : Effect.void))

    return {
      name: options.name,
      answer: answerInProcess({
        api,
        isUp: listener.isListening,
        seen: (info) => count(requests, info),
        observe
      }),
      server: `https://127.0.0.1:${listener.port}`,
      caPem: certificate.certificatePem,
      kill: inTurn(kill),
      restart: Effect.andThen(kill, listen).pipe(inTurn),
      restartEmpty: kill.pipe(
        Effect.andThen(state.beginAnew),
        Effect.andThen(listen),
        Effect.andThen(controlled ? checkpoint : Effect.void),
        inTurn
      ),
      checkpoint: inTurn(checkpoint),
      reset: background.stop.pipe(Effect.andThen(state.reset), Effect.andThen(resume), inTurn),
      save: inTurn(state.save),
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

/** What answers requests. */
interface Serving {
  readonly kernel: Kernel.Kernel
  readonly api: Api.Api
  readonly aggregator: Aggregator.Aggregator
  readonly settings: ReplyWriter.WatchSettings
}

/** Answers over HTTP; what fails is told to the log alone. */
const handlerOf =
  (serving: Serving, observe: (line: string) => void, seen: (info: RequestInfo) => void): Listener.Handle =>
  (request, response) =>
    Effect.scoped(answer(serving, request, response, seen)).pipe(
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
      authorization: headers.authorization,
      headers: request.headersDistinct
    })
    if (Result.isFailure(admitted)) return yield* sendFailure(response, admitted.failure)
    seen(admitted.success.info)
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

/** The text of a body: JSON for one in protobuf that can be read; for any other the handlers say what they take. */
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
    // A body that breaks off ends with its connection, and that interrupts the request.
    return Effect.sync(() => request.removeAllListeners("data"))
  })
