/** Injects faults into one running cluster, through a proxy that alters connections, requests and replies. */
import { Clock, Effect, Exit, Scope } from "effect"
import type { ClusterUser, RunningCluster } from "../drivers/ClusterDriver.ts"
import { Authentication } from "@quarterdeck/embedded-cluster"
import * as ActiveFaults from "./ActiveFaults.ts"
import * as ApiCall from "./ApiCall.ts"
import * as Authority from "./Authority.ts"
import { type ApiFault, decode, type Fault, type Outage, type StaleCertificate } from "./Fault.ts"
import * as Gateway from "./Gateway.ts"
import { matches } from "./Matcher.ts"
import * as Target from "./Target.ts"
import * as Wire from "./Wire.ts"
import { HarnessError, InvalidFault } from "../machine/HarnessError.ts"
import { inRealTime } from "../machine/Machine.ts"

/** The operations of a cluster that outages need. */
export type Outages = Pick<RunningCluster, "kill" | "restart" | "restartEmpty">

export interface FaultsOptions {
  readonly name: string
  /** `https://host:port` of the cluster. */
  readonly server: string
  readonly caPem: string
  /** Users with their tokens, so that a 403 names the user. Without `users` the 403 names `system:anonymous`. */
  readonly users?: ReadonlyArray<ClusterUser>
  /** Required to inject `Down` and `LostData`. */
  readonly outages?: Outages
  /**
   * `opened` terminates TLS (default). `passed` forwards TLS: clients see the cluster's own certificate, and only wire
   * faults are possible.
   */
  readonly tls?: "opened" | "passed"
  /** Clock for latencies, rates and delays: the machine's (default, also under a test clock) or the caller's. */
  readonly clock?: "machine" | "caller"
  /**
   * Called with every request on arrival, before a fault or the cluster answers it. Never called if `tls` is `passed`.
   */
  readonly onRequest?: (request: ClientRequest) => void
}

/** A request as the client sent it. **Limits** `headers` includes the credential. */
export interface ClientRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Header values by lower-case name, one for each header line. */
  readonly headers: Readonly<Record<string, ReadonlyArray<string> | undefined>>
}

/** Counters since the start of the proxy. */
export interface FaultCounters extends Wire.WireCounters {
  /**
   * Requests by verb and resource: `list pods`, `get path` for requests that are not for objects. Empty if `tls` is
   * `passed`.
   */
  readonly requests: ReadonlyMap<string, number>
  /**
   * Counts by fault tag. Faults of requests and replies count affected requests, `WatchCutEvery` the watches that it
   * ended. All other faults count injections.
   */
  readonly met: ReadonlyMap<Fault["_tag"], number>
}

/** A fault for code without Effect. Disposing of it heals it. */
export interface StartedFault extends AsyncDisposable {
  readonly fault: Fault
  readonly heal: () => Promise<void>
}

/** A cluster behind a proxy that injects faults. */
export interface ClusterFaults {
  readonly name: string
  /** `https://127.0.0.1:<port>` */
  readonly server: string
  /** CA certificates that verify `server`, as PEM. */
  readonly caPem: string
  /**
   * Injects a fault until the scope closes.
   *
   * **Errors** `InvalidFault` if a number is out of range or the proxy lacks what the fault needs.
   *
   * **Example**
   *
   * ```ts
   * yield* Effect.scoped(
   *   Effect.gen(function* () {
   *     yield* faults.inject(Fault.latency({ ms: 200 }))
   *     yield* faults.inject(Fault.unauthorized({ match: { verbs: ["list"], next: 3 } }))
   *     // what does the program do now?
   *   })
   * )
   * ```
   */
  readonly inject: (fault: Fault) => Effect.Effect<void, HarnessError, Scope.Scope>
  /**
   * Injects a fault, for code without Effect. Disposing of the result heals the fault.
   *
   * **Example**
   *
   * ```ts
   * await using fault = await faults.start(Fault.latency({ ms: 200 }))
   * ```
   */
  readonly start: (fault: Fault) => Promise<StartedFault>
  readonly counters: Effect.Effect<FaultCounters>
}

/** Maximum number of request kinds that are counted separately. Further kinds count as `other`. */
const COUNTED_KINDS = 1_000

/**
 * Puts a proxy in front of a cluster.
 *
 * Without a fault the proxy is transparent: bodies stream both ways and credentials pass. Each client connection has its
 * own connection to the cluster, and both end together. Several faults can be active at once. Wire faults act on all bytes
 * (see `Wire.make` for their order). Refusing faults answer before the cluster sees the request. Other faults alter the
 * cluster's replies.
 *
 * **Errors** `MachineRefused` if it cannot listen.
 *
 * **Limits** HTTP/1.1. Users authenticate by bearer token: a client certificate does not pass a proxy that terminates
 * TLS.
 */
export const make = (options: FaultsOptions): Effect.Effect<ClusterFaults, HarnessError, Scope.Scope> =>
  (options.clock === "caller" ? made(options) : inRealTime(made(options))).pipe(
    Effect.mapError((error) =>
      error instanceof HarnessError ? error : new HarnessError({ cluster: options.name, reason: error })
    )
  )

/** Kills a cluster. Closing the scope restarts it with its data. */
export const down = (cluster: Pick<Outages, "kill" | "restart">): Effect.Effect<void, HarnessError, Scope.Scope> =>
  // A cluster that does not restart makes the test meaningless, so the effect dies.
  Effect.acquireRelease(cluster.kill, () => Effect.orDie(cluster.restart))

/**
 * Restarts a cluster empty.
 *
 * **Limits** closing the scope does not restore the data.
 */
export const lostData = (cluster: Pick<Outages, "restartEmpty">): Effect.Effect<void, HarnessError, Scope.Scope> =>
  cluster.restartEmpty

const made = Effect.fnUntraced(function* (options: FaultsOptions) {
  const { caPem, name, outages, server } = options
  const outage = outages === undefined ? undefined : makeOutage(outages)
  const clock = yield* Clock.Clock
  const proxyScope = yield* Effect.scope
  const requests = new Map<string, number>()
  const met = new Map<Fault["_tag"], number>()
  const countMet = (tag: Fault["_tag"]): void => count(met, tag)

  const target = Target.from(server, caPem)
  const opened =
    options.tls === "passed"
      ? undefined
      : yield* openTls(
          options,
          target,
          (call, { headersDistinct: headers, method = "GET" }) => {
            count(requests, kindOf(requests, call))
            options.onRequest?.({ method, path: call.path, query: call.query, headers })
          },
          countMet
        )
  const wire = yield* Wire.make(opened === undefined ? target : { host: "127.0.0.1", port: opened.port })

  const refuse = (fault: Fault, problem: string): Effect.Effect<never, HarnessError> =>
    Effect.fail(new HarnessError({ cluster: name, reason: new InvalidFault({ fault: fault._tag, problem }) }))
  const inject = Effect.fn("Faults.inject")(function* (
    input: Fault
  ): Effect.fn.Return<void, HarnessError, Scope.Scope> {
    const fault = yield* Effect.mapError(decode(input), (reason) => new HarnessError({ cluster: name, reason }))
    yield* Effect.annotateCurrentSpan({ cluster: name, fault: fault._tag })
    switch (fault._tag) {
      case "Cut":
      case "BlackHole":
      case "HalfOpen":
      case "Latency":
      case "Bandwidth":
      case "SlowDrip":
        yield* Effect.acquireRelease(
          Effect.sync(() => wire.begin(fault)),
          (heal) => Effect.sync(heal)
        )
        return countMet(fault._tag)
      case "Down":
      case "LostData":
        if (outage === undefined) return yield* refuse(fault, "the proxy was created without the option outages")
        yield* outage(fault)
        return countMet(fault._tag)
      case "StaleCertificate":
        if (opened === undefined) return yield* refuse(fault, NEEDS_TLS)
        yield* opened.misrepresent(fault).pipe(Effect.mapError((reason) => new HarnessError({ cluster: name, reason })))
        wire.reset()
        return countMet(fault._tag)
      default:
        if (opened === undefined) return yield* refuse(fault, NEEDS_TLS)
        return yield* Effect.provideService(opened.interfere(fault), Clock.Clock, clock)
    }
  })
  return {
    name,
    server: `https://127.0.0.1:${wire.port}`,
    caPem: opened === undefined ? caPem : opened.caPem,
    inject,
    start: (fault) =>
      Effect.runPromise(Effect.flatMap(Scope.fork(proxyScope), (scope) => started(scope, fault, inject(fault)))),
    counters: Effect.sync(() => ({ ...wire.counters(), requests: new Map(requests), met: new Map(met) }))
  } satisfies ClusterFaults
})

const NEEDS_TLS = "it needs a proxy that terminates TLS"

/** Combines overlapping outages: the cluster restarts when the last one heals, empty if one of them was `LostData`. */
const makeOutage = (outages: Outages) => {
  let downs = 0
  let isLost = false
  const restart = Effect.suspend(() => {
    if (--downs > 0) return Effect.void
    const again = isLost ? outages.restartEmpty : outages.restart
    isLost = false
    return again
  })
  const kill = Effect.andThen(
    outages.kill,
    Effect.sync(() => {
      downs++
    })
  )
  const lose = Effect.suspend(() => {
    if (downs === 0) return outages.restartEmpty
    isLost = true
    return Effect.void
  })
  return (fault: Outage): Effect.Effect<void, HarnessError, Scope.Scope> =>
    fault._tag === "Down" ? down({ kill, restart }) : lostData({ restartEmpty: lose })
}

/** Injects a fault in its own scope, for code without Effect. Closing the scope or disposing of the value heals it. */
export const started = Effect.fnUntraced(function* (
  scope: Scope.Closeable,
  fault: Fault,
  injected: Effect.Effect<void, HarnessError, Scope.Scope>
): Effect.fn.Return<StartedFault, HarnessError> {
  const heal = Scope.close(scope, Exit.void)
  yield* Scope.provide(injected, scope).pipe(Effect.onError(() => heal))
  const healed = () => Effect.runPromise(heal)
  return { fault, heal: healed, [Symbol.asyncDispose]: healed } satisfies StartedFault
})

/** Creates the part of the proxy that reads requests, with the faults that need it. */
const openTls = Effect.fnUntraced(function* (
  options: FaultsOptions,
  target: Target.Target,
  onRequest: Gateway.GatewayOptions["onRequest"],
  countMet: (tag: Fault["_tag"]) => void
) {
  const authority = yield* Authority.make(options.name)
  const proper = yield* authority.issue()
  const faults = ActiveFaults.make(Authentication.make(options.users ?? []), countMet)
  const gateway = yield* Gateway.make({ target, keys: proper, faults, onRequest })
  const shown: Array<Authority.ServerKeys> = [proper]
  const present = Effect.sync(() => gateway.present(shown.at(-1) ?? proper))

  const misrepresent = Effect.fnUntraced(function* ({ problem = "expired" }: StaleCertificate) {
    const keys = yield* authority.issue(problem)
    yield* Effect.acquireRelease(
      Effect.sync(() => shown.push(keys)),
      () =>
        Effect.andThen(
          Effect.sync(() => shown.splice(shown.indexOf(keys), 1)),
          present
        )
    )
    yield* present
  })
  const interfere = Effect.fnUntraced(function* (fault: ApiFault) {
    const { injection } = yield* Effect.acquireRelease(
      Effect.sync(() => faults.begin(fault)),
      ({ end }) => Effect.sync(end)
    )
    const affected = () => gateway.watches().filter(({ call }) => matches(fault.match ?? {}, call))
    if (fault._tag === "ExpiredWatch" || fault._tag === "LostBookmarks") {
      // Open watches are ended. Clients reconnect and then meet the fault.
      for (const watch of affected()) watch.end()
    }
    if (fault._tag !== "WatchCutEvery") return
    const cut = Effect.sync(() => {
      for (const watch of affected().filter(injection.select)) {
        countMet(fault._tag)
        if (fault.manner === "reset") watch.reset()
        else watch.end()
      }
    })
    const again = Effect.forever(Effect.andThen(Effect.sleep(fault.everyMs), cut))
    yield* Effect.forkScoped(again, { startImmediately: true })
  })
  return { port: gateway.port, caPem: authority.caPem, misrepresent, interfere }
})

const kindOf = (requests: ReadonlyMap<string, number>, call: ApiCall.ApiCall): string => {
  const kind = ApiCall.kindOf(call)
  return requests.size < COUNTED_KINDS || requests.has(kind) ? kind : "other"
}

const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
