/**
 * Sends requests to API servers over connections that are kept: with the cluster's credential, its trust, and no
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

/** What to ask of a cluster. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Path and query below the server's base URL, such as `/api/v1/pods?limit=500`, already encoded. */
  readonly path: string
  /** `application/json` unless given. */
  readonly accept?: string
  readonly body?: { readonly contentType: string; readonly text: string }
  /** The words for a refusal: `{ verb: "list", resource: "pods" }`. */
  readonly action: { readonly verb: string; readonly resource: string }
  /** Statuses that are answers to the caller, beside 2xx; the others fail. */
  readonly allow?: ReadonlyArray<number>
  /**
   * Statuses of a read that say in the server's words why it has not what was asked for, and are `ClusterRefused`; those
   * from 500 on only of an answer that is the server's own.
   */
  readonly refusals?: ReadonlyArray<number>
  /** Asks whether the cluster is there, and so does not queue behind its other calls. */
  readonly isProbe?: boolean
  /**
   * How long the exchange may take once there is a credential; of the time in which this process did not get to look,
   * little counts. **Units** milliseconds; `callMs` of `TransportLimits` in all unless given.
   */
  readonly answerMs?: number
  readonly waiting?: Waiting
}

/**
 * Wraps each wait for the cluster: for the head of an answer, then for each piece of its body. Who gives it bounds the time of
 * the call too.
 */
export type Waiting = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const justWaiting: Waiting = (wait) => wait

export interface TransportAnswer {
  readonly status: number
  /** As the server wrote it; empty where it says nothing. */
  readonly contentType: string
  readonly body: Buffer
}

/** An answer whose body is still coming. */
export interface OpenAnswer {
  readonly status: number
  /** As in `TransportAnswer`. */
  readonly contentType: string
  /** Gives the next piece of the body, none at its end. **Errors** `ClusterTimeout` when silent for `silenceMs`. */
  readonly read: (silenceMs: number) => Effect.Effect<Option.Option<Buffer>, ClusterError>
}

/**
 * How many connections and calls a cluster may have, and how long and how large they may be. `idleMs` is how long a
 * pool without users is kept, `keepAliveMs` how long a connection.
 *
 * **Units** connections and calls of one cluster; milliseconds; bytes of one answer that is taken whole.
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
     * Sends a request and takes the whole answer.
     *
     * **Errors** `ClusterError`: every status but 2xx and those allowed, and redirects always. A 401 renews the
     * credential once where that can help; a GET whose kept connection turns out closed is sent once more.
     *
     * **Limits** `TransportLimits`: at most `callConnections` connections of a cluster, one of them for probes, and `writeConnections` for what
     * changes something; `callMs` in all. Interrupting destroys the request.
     */
    readonly call: (cluster: Cluster, request: TransportRequest) => Effect.Effect<TransportAnswer, ClusterError>
    /**
     * Sends a request and leaves the body open for as long as the scope.
     *
     * **Limits** a watch, which it is unless it is said to be a log, holds one of `watchConnections` connections, which calls
     * do not share; beyond them `ClusterThrottled`. A log waits for one of `logConnections`, with `logsWaiting` at most. One that
     * is followed holds one of `followConnections`, and is waited for as long as the caller likes: a server says nothing of it
     * before its container does.
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

      const send = (held: Held, cluster: Cluster, request: TransportRequest, proof: Proof) => {
        const sent = Effect.suspend(() => {
          held.end()
          const lent = pools.lend(cluster, proof, held.lane)
          if (Result.isFailure(lent)) return Effect.fail(lent.failure)
          held.pool = lent.success
          return dispatch(held, lent.success.dispatcher, cluster, request, proof)
        })
        if (request.method !== "GET") return sent
        return Effect.matchEffect(sent, {
          onSuccess: Effect.succeed,
          onFailure: (error) => (isStaleConnection(error) ? sent : Effect.fail(error))
        })
      }

      const sendRenewing = Effect.fnUntraced(function* (held: Held, cluster: Cluster, request: TransportRequest) {
        const sent = yield* send(held, cluster, request, yield* credentials.prove(cluster))
        if (sent.head.status !== 401) return sent
        // Taken first, so that the connection is free while a plugin runs.
        yield* collect(sent.read, cluster, REFUSAL_BYTES, "cut")
        const renewed = yield* credentials.renew(cluster, sent.proof)
        return Option.isNone(renewed) ? sent : yield* send(held, cluster, request, renewed.value)
      })

      /** Sends a request, and fails for every status that the request does not allow. */
      const sendChecked = Effect.fnUntraced(function* (held: Held, cluster: Cluster, request: TransportRequest) {
        const sent = yield* sendRenewing(held, cluster, request)
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

      const exchanged = Effect.fnUntraced(function* (held: Held, cluster: Cluster, request: TransportRequest) {
        const { waiting = justWaiting } = request
        const { head, read } = yield* waiting(sendChecked(held, cluster, request))
        const { answerBytes: limit } = limits
        const tooLong = new ClusterTooLarge({ excess: "answer", resource: request.action.resource, limit })
        const body = yield* collect(waiting(read), cluster, limit, tooLong)
        return { status: head.status, contentType: contentTypeOf(head), body }
      })

      const call = (cluster: Cluster, request: TransportRequest) =>
        called(cluster, request).pipe(traced("Transport.call", () => ({ cluster: cluster.name, ...request.action })))

      const called = Effect.fnUntraced(function* (cluster: Cluster, request: TransportRequest) {
        const held = new Held(laneOf(request))
        const whole = Effect.ensuring(exchanged(held, cluster, request), held.ending)
        if (request.waiting !== undefined) return yield* whole
        if (request.answerMs === undefined) return yield* whole.pipe(orTimeout(cluster, limits.callMs))
        // A plugin that takes its time says nothing of the cluster.
        yield* credentials.prove(cluster)
        return yield* orTimeoutAwake(whole, cluster, request.answerMs)
      })

      const open = Effect.fn("Transport.open")(function* (
        cluster: Cluster,
        request: TransportRequest,
        lane: "watch" | "log" | "follow" = "watch"
      ) {
        yield* Effect.annotateCurrentSpan({ cluster: cluster.name, ...request.action })
        const held = new Held(lane)
        yield* Effect.addFinalizer(() => held.ending)
        const sending = sendChecked(held, cluster, request)
        const sent = yield* lane === "follow" ? sending : orTimeout(cluster, limits.callMs)(sending)
        const read = (silenceMs: number) =>
          sent.read.pipe(Effect.mapError(thrownBy(cluster)), orTimeout(cluster, silenceMs))
        return { status: sent.head.status, contentType: contentTypeOf(sent.head), read }
      })

      return Transport.of({ call, open })
    })
  )

  /** Needs files for what clusters keep in them, and processes for credential plugins. */
  static readonly layer = Transport.layerNoDeps.pipe(Layer.provide(Credentials.layer))
}

/** What a request holds of a cluster while it is under way: the pool's place, and the exchange. */
class Held {
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

/** Where a server's paths begin. */
interface Base {
  readonly origin: string
  readonly path: string
}

const bases = new WeakMap<Cluster["connection"], Base>()

/** Reads a server's base URL, once for each connection. */
const baseOf = (connection: Cluster["connection"]): Base => {
  const known = bases.get(connection)
  if (known !== undefined) return known
  const { origin, pathname } = new URL(connection.server)
  const base = { origin, path: withoutSlashes(pathname) }
  bases.set(connection, base)
  return base
}

/** Sends, and waits for the head of the answer. */
const dispatch = (
  held: Held,
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
  held.exchange = opened.success
  return Effect.matchEffect(opened.success.head, {
    onFailure: (thrown) => Effect.fail(thrownBy({ name })(thrown)),
    onSuccess: (head) => {
      const decoded = contentCoding.decoded(opened.success, head)
      if (Result.isFailure(decoded)) return Effect.fail(thrownBy({ name })(decoded.failure))
      held.exchange = decoded.success
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

/** As `orTimeout`, in slices: a process that was held up for long has its answers looked at before it gives up. */
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

/** A server may close a kept connection just as the next request leaves; nothing was answered, so a read may go again. */
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
