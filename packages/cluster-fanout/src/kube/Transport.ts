/**
 * Sends requests to API servers over pooled connections, with the cluster's credential and trust settings. Follows no
 * redirects.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Result, type Scope } from "effect"
import type { Dispatcher } from "undici"
import type { Cluster } from "../registry/Cluster.ts"
import { withoutSlashes } from "../registry/KubeconfigConnection.ts"
import { ClusterError, ClusterTimeout, ClusterTooLarge } from "./ClusterError.ts"
import { Credentials, type Proof } from "./credential/Credentials.ts"
import { fromAnswer, fromThrown } from "./AnswerProblem.ts"
import * as clusterPools from "./ClusterPools.ts"
import * as contentCoding from "./ContentCoding.ts"
import * as exchange from "./Exchange.ts"
import { traced } from "./Traced.ts"

/** A request to a cluster. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Path and query relative to the server's base URL, such as `/api/v1/pods?limit=500`, already encoded. */
  readonly path: string
  /** Default: `application/json`. */
  readonly accept?: string
  readonly body?: { readonly contentType: string; readonly text: string }
  /** Verb and resource for error messages: `{ verb: "list", resource: "pods" }`. */
  readonly action: { readonly verb: string; readonly resource: string }
  /** Statuses returned to the caller besides 2xx. Other statuses fail. */
  readonly allow?: ReadonlyArray<number>
  /**
   * Statuses of a read that fail with `ClusterRefused` and the server's message. Statuses from 500 on count only if the
   * answer is the API server's own.
   */
  readonly refusals?: ReadonlyArray<number>
  /** The request checks whether the cluster answers, so it does not queue behind other calls. */
  readonly isProbe?: boolean
  /**
   * Deadline, counted from when the credential is available. Pauses of this process hardly count. **Units**
   * milliseconds; default: `callMs` of `TransportLimits` in total.
   */
  readonly answerMs?: number
  readonly waiting?: Waiting
}

/**
 * Wraps each wait for the cluster: first for the response headers, then for each chunk of the body. A caller that sets
 * `waiting` must also limit the duration of the call.
 */
export type Waiting = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const justWaiting: Waiting = (wait) => wait

export interface TransportAnswer {
  readonly status: number
  /** Content type of the answer; empty without one. */
  readonly contentType: string
  readonly body: Buffer
}

/** An answer whose body is still being received. */
export interface OpenAnswer {
  readonly status: number
  readonly contentType: string
  /**
   * Returns the next chunk of the body; `None` at its end. **Errors** `ClusterTimeout` after `silenceMs` without data.
   */
  readonly read: (silenceMs: number) => Effect.Effect<Option.Option<Buffer>, ClusterError>
}

/**
 * Limits of connections and calls. `idleMs` is the lifetime of a pool without users, `keepAliveMs` of an idle
 * connection.
 *
 * **Units** connections and calls of one cluster; milliseconds; bytes of one answer that is read whole.
 */
export const TransportLimits = Context.Reference("@quarterdeck/cluster-fanout/Transport/TransportLimits", {
  defaultValue: () => ({
    callConnections: 4,
    writeConnections: 4,
    callsWaiting: 256,
    watchConnections: 64,
    logConnections: 8,
    logsWaiting: 64,
    followConnections: 32,
    connectMs: 10_000,
    keepAliveMs: 75_000,
    idleMs: 120_000,
    callMs: 60_000,
    answerBytes: 64 * 1024 * 1024
  })
})

const laneOf = ({ isProbe = false, method }: TransportRequest): clusterPools.Lane => {
  if (isProbe) return "probe"
  return method === "GET" ? "call" : "write"
}

const REFUSAL_BYTES = 64 * 1024

export class Transport extends Context.Service<
  Transport,
  {
    /**
     * Sends a request and reads the whole answer.
     *
     * **Errors** `ClusterError` for every status but 2xx and allowed ones, and for every redirect. After a 401, the
     * credential is renewed once if possible. A GET on a connection that turns out to be closed is sent once more.
     *
     * **Limits** `TransportLimits`: at most `callConnections` connections of a cluster, one of them for probes, and
     * `writeConnections` for writes; `callMs` in total. Interruption aborts the request.
     */
    readonly call: (cluster: Cluster, request: TransportRequest) => Effect.Effect<TransportAnswer, ClusterError>
    /**
     * Sends a request and leaves the body open until the scope ends.
     *
     * **Limits** by default a watch, which occupies one of `watchConnections` connections, separate from calls; if all
     * are in use, fails with `ClusterThrottled`. A log waits for one of `logConnections`, with at most `logsWaiting`
     * waiters. A followed log occupies one of `followConnections`. It has no deadline for its head, because a server
     * answers only when the container writes.
     */
    readonly open: (
      cluster: Cluster,
      request: TransportRequest,
      lane?: "watch" | "log" | "follow"
    ) => Effect.Effect<OpenAnswer, ClusterError, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/Transport") {
  static readonly layerNoDeps = Layer.effect(
    Transport,
    Effect.gen(function* () {
      const credentials = yield* Credentials
      const limits = yield* TransportLimits
      const pools = yield* clusterPools.make(limits)

      const send = (flight: Flight, cluster: Cluster, request: TransportRequest, proof: Proof) => {
        const sent = Effect.suspend(() => {
          flight.end()
          const lent = pools.lend(cluster, proof, flight.lane)
          if (Result.isFailure(lent)) return Effect.fail(lent.failure)
          flight.pool = lent.success
          return dispatch(flight, lent.success.dispatcher, cluster, request, proof)
        })
        if (request.method !== "GET") return sent
        return Effect.matchEffect(sent, {
          onSuccess: Effect.succeed,
          onFailure: (error) => (isStaleConnection(error) ? sent : Effect.fail(error))
        })
      }

      const sendRenewing = Effect.fnUntraced(function* (flight: Flight, cluster: Cluster, request: TransportRequest) {
        const sent = yield* send(flight, cluster, request, yield* credentials.prove(cluster))
        if (sent.head.status !== 401) return sent
        // Read the body first, so that the connection is free while a plugin runs.
        yield* collect(sent.read, cluster, REFUSAL_BYTES, "cut")
        const renewed = yield* credentials.renew(cluster, sent.proof)
        return Option.isNone(renewed) ? sent : yield* send(flight, cluster, request, renewed.value)
      })

      /** Sends a request, and fails for every status that the request does not allow. */
      const sendChecked = Effect.fnUntraced(function* (flight: Flight, cluster: Cluster, request: TransportRequest) {
        const sent = yield* sendRenewing(flight, cluster, request)
        const { headers, status } = sent.head
        if (isSuccess(status) || request.allow?.includes(status)) return sent
        const body = yield* collect(sent.read, cluster, REFUSAL_BYTES, "cut")
        const reason = fromAnswer({
          status,
          headers,
          body: body.toString("utf8"),
          isWrite: request.method !== "GET",
          refusals: request.refusals,
          ...request.action,
          secrets: secretsOf(sent.proof),
          nowMs: yield* Clock.currentTimeMillis
        })
        return yield* new ClusterError({ cluster: cluster.name, reason })
      })

      const exchanged = Effect.fnUntraced(function* (flight: Flight, cluster: Cluster, request: TransportRequest) {
        const { waiting = justWaiting } = request
        const { head, read } = yield* waiting(sendChecked(flight, cluster, request))
        const { answerBytes: limit } = limits
        const tooLong = new ClusterTooLarge({ excess: "answer", resource: request.action.resource, limit })
        const body = yield* collect(waiting(read), cluster, limit, tooLong)
        return { status: head.status, contentType: contentTypeOf(head), body }
      })

      const call = (cluster: Cluster, request: TransportRequest) =>
        called(cluster, request).pipe(traced("Transport.call", () => ({ cluster: cluster.name, ...request.action })))

      const called = Effect.fnUntraced(function* (cluster: Cluster, request: TransportRequest) {
        const flight = new Flight(laneOf(request))
        const whole = Effect.ensuring(exchanged(flight, cluster, request), flight.ending)
        if (request.waiting !== undefined) return yield* whole
        if (request.answerMs === undefined) return yield* whole.pipe(orTimeout(cluster, limits.callMs))
        // Obtain the credential first: a slow plugin says nothing about the cluster.
        yield* credentials.prove(cluster)
        return yield* orTimeoutAwake(whole, cluster, request.answerMs)
      })

      const open = Effect.fn("Transport.open")(function* (
        cluster: Cluster,
        request: TransportRequest,
        lane: "watch" | "log" | "follow" = "watch"
      ) {
        yield* Effect.annotateCurrentSpan({ cluster: cluster.name, ...request.action })
        const flight = new Flight(lane)
        yield* Effect.addFinalizer(() => flight.ending)
        const sending = sendChecked(flight, cluster, request)
        const sent = yield* lane === "follow" ? sending : orTimeout(cluster, limits.callMs)(sending)
        const read = (silenceMs: number) =>
          sent.read.pipe(Effect.mapError(thrownBy(cluster)), orTimeout(cluster, silenceMs))
        return { status: sent.head.status, contentType: contentTypeOf(sent.head), read }
      })

      return Transport.of({ call, open })
    })
  )

  /** Requires file access for credential files, and processes for credential plugins. */
  static readonly layer = Transport.layerNoDeps.pipe(Layer.provide(Credentials.layer))
}

/** Resources of a running request: its use of the pool, and the exchange. */
class Flight {
  readonly lane: clusterPools.Lane
  pool: clusterPools.Lent | undefined
  exchange: exchange.Exchange | undefined

  constructor(lane: clusterPools.Lane) {
    this.lane = lane
  }

  end(): void {
    this.exchange?.giveUp()
    this.pool?.giveBack()
    this.exchange = undefined
    this.pool = undefined
  }

  readonly ending = Effect.sync(() => this.end())
}

/** Base of a server's paths. */
interface Base {
  readonly origin: string
  readonly path: string
}

const bases = new WeakMap<Cluster["connection"], Base>()

/** Parses a server's base URL, once for each connection. */
const baseOf = (connection: Cluster["connection"]): Base => {
  const known = bases.get(connection)
  if (known !== undefined) return known
  const { origin, pathname } = new URL(connection.server)
  const base = { origin, path: withoutSlashes(pathname) }
  bases.set(connection, base)
  return base
}

/** Sends the request and waits for the head of the answer. */
const dispatch = (
  flight: Flight,
  dispatcher: Dispatcher,
  { connection, name }: Cluster,
  { accept, body, method, path }: TransportRequest,
  proof: Proof
) => {
  const base = baseOf(connection)
  const options: Dispatcher.DispatchOptions = {
    origin: base.origin,
    method,
    path: base.path + path,
    headers: {
      ...Redacted.value(proof.headers),
      accept: accept ?? "application/json",
      "user-agent": "quarterdeck",
      ...(body && { "content-type": body.contentType })
    },
    body: body?.text ?? null
  }
  const opened = Result.try({ try: () => exchange.open(dispatcher, options), catch: thrownBy({ name }) })
  if (Result.isFailure(opened)) return Effect.fail(opened.failure)
  flight.exchange = opened.success
  return Effect.matchEffect(opened.success.head, {
    onFailure: (thrown) => Effect.fail(thrownBy({ name })(thrown)),
    onSuccess: (head) => {
      const decoded = contentCoding.decoded(opened.success, head)
      if (Result.isFailure(decoded)) return Effect.fail(thrownBy({ name })(decoded.failure))
      flight.exchange = decoded.success
      return Effect.succeed({ head, read: decoded.success.read, proof })
    }
  })
}

const thrownBy =
  ({ name }: Pick<Cluster, "name">) =>
  (thrown: unknown): ClusterError =>
    new ClusterError({ cluster: name, reason: fromThrown(thrown) })

const orTimeout = ({ name }: Cluster, timeoutMs: number) =>
  Effect.timeoutOrElse({
    duration: Duration.millis(timeoutMs),
    orElse: () => Effect.fail(new ClusterError({ cluster: name, reason: new ClusterTimeout({ timeoutMs }) }))
  })

const SLICES = 15

/**
 * Does the same as `orTimeout`, in slices: after a long pause of this process, pending answers are processed before the
 * timeout.
 */
const orTimeoutAwake = <A>(answer: Effect.Effect<A, ClusterError>, { name }: Cluster, timeoutMs: number) =>
  Effect.raceFirst(
    answer,
    Effect.andThen(
      Effect.repeat(Effect.sleep(timeoutMs / SLICES), { times: SLICES - 1 }),
      Effect.fail(new ClusterError({ cluster: name, reason: new ClusterTimeout({ timeoutMs }) }))
    )
  )

const contentTypeOf = ({ headers }: exchange.Head): string => [headers["content-type"] ?? ""].flat().join()

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Returns whether a server closed a keep-alive connection just as the request was sent. Nothing was answered, so a read
 * may be repeated.
 */
const isStaleConnection = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterUnreachable" && ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(reason.code)

const collect = Effect.fnUntraced(function* (
  read: Effect.Effect<Option.Option<Buffer>, unknown>,
  cluster: Cluster,
  limitBytes: number,
  tooLong: ClusterTooLarge | "cut"
) {
  const pieces: Array<Buffer> = []
  let bytes = 0
  while (true) {
    const piece = yield* read.pipe(Effect.mapError(thrownBy(cluster)))
    if (Option.isNone(piece)) return Buffer.concat(pieces, bytes)
    bytes += piece.value.length
    if (bytes > limitBytes) {
      if (tooLong === "cut") return Buffer.concat(pieces)
      return yield* new ClusterError({ cluster: cluster.name, reason: tooLong })
    }
    pieces.push(piece.value)
  }
})

const secretsOf = (proof: Proof): ReadonlyArray<string> => {
  const { authorization } = Redacted.value(proof.headers)
  return typeof authorization === "string" ? authorization.split(" ").slice(1) : []
}
