/**
 * Faults for one cluster while it runs: a proxy in front of it that does to connections, requests and replies what a test
 * asks for, and heals when the test is done.
 */
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

/** What can be done to a cluster itself. */
export type Outages = Pick<RunningCluster, "kill" | "restart" | "restartEmpty">

export interface FaultsOptions {
  readonly name: string
  /** `https://host:port` of the cluster, and what verifies it. */
  readonly server: string
  readonly caPem: string
  /** Users by their tokens, so that a 403 names who asked (default none: then it names `system:anonymous`). */
  readonly users?: ReadonlyArray<ClusterUser>
  /** Without it, `Down` and `LostData` cannot be injected. */
  readonly outages?: Outages
  /** `passed` leaves TLS between client and cluster: their certificate and only faults of the wire. Default `opened`. */
  readonly tls?: "opened" | "passed"
  /** Whose time latencies, rates and delays keep (default the machine's, also under a test clock). */
  readonly clock?: "machine" | "caller"
  /** Is told every request as it comes, before a fault or the cluster answers it; nothing is told when TLS is passed. */
  readonly onRequest?: (request: ClientRequest) => void
}

/** A request as its client sent it. **Limits** `headers` has the credential too. */
export interface ClientRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** By their names in lower case, a value for each line. */
  readonly headers: Readonly<Record<string, ReadonlyArray<string> | undefined>>
}

/** What has come through since the start. */
export interface FaultCounters extends Wire.WireCounters {
  /** Requests by verb and resource: `list pods`, `get path` for what is no object. Empty when TLS is passed. */
  readonly requests: ReadonlyMap<string, number>
  /** By tag of the fault: requests that met it, watches that it ended, and how often any other fault was injected. */
  readonly met: ReadonlyMap<Fault["_tag"], number>
}

/** A fault that was started by a promise; it heals when it is disposed. */
export interface StartedFault extends AsyncDisposable {
  readonly fault: Fault
  readonly heal: () => Promise<void>
}

/** A cluster as clients see it who come through the proxy. */
export interface ClusterFaults {
  readonly name: string
  /** `https://127.0.0.1:<port>` */
  readonly server: string
  /** PEM of the certificates that verify `server`. */
  readonly caPem: string
  /**
   * Makes a fault real until the scope closes.
   *
   * **Errors** `InvalidFault` when its numbers are out of bounds, or the proxy lacks what it needs.
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
   * The same for code without Effect.
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

/** Kinds of requests that are counted apart; a client that makes up more is counted as `other`. */
const COUNTED_KINDS = 1_000

/**
 * Puts a proxy in front of a cluster.
 *
 * Without a fault it is transparent: bodies stream both ways, credentials pass, each connection has one of its
 * own to the cluster and ends with it. Several faults may be active at once: those of the wire act on all bytes (see
 * `Wire.make` for their order), refusals answer before the cluster is asked, the rest alters its replies.
 *
 * **Errors** `MachineRefused` when it cannot listen.
 *
 * **Limits** HTTP/1.1; users authenticate by bearer tokens: a client certificate ends at a proxy that opens TLS.
 */
export const make = (options: FaultsOptions): Effect.Effect<ClusterFaults, HarnessError, Scope.Scope> =>
  (options.clock === "caller" ? made(options) : inRealTime(made(options))).pipe(
    Effect.mapError((error) =>
      error instanceof HarnessError ? error : new HarnessError({ cluster: options.name, reason: error })
    )
  )

/** Kills a cluster; it restarts with its data when the scope closes. */
export const down = (cluster: Pick<Outages, "kill" | "restart">): Effect.Effect<void, HarnessError, Scope.Scope> =>
  // A cluster that does not come back leaves nothing to test.
  Effect.acquireRelease(cluster.kill, () => Effect.orDie(cluster.restart))

/**
 * Restarts a cluster as a new one.
 *
 * **Limits** nothing brings back what it held: the scope's end changes nothing.
 */
export const lostData = (cluster: Pick<Outages, "restartEmpty">): Effect.Effect<void, HarnessError, Scope.Scope> =>
  cluster.restartEmpty

const made = Effect.fnUntraced(function* (options: FaultsOptions) {
  const { caPem, name, outages, server } = options
  const outage = outages === undefined ? undefined : makeOutage(outages)
  const clock = yield* Clock.Clock
  const own = yield* Effect.scope
  const requests = new Map<string, number>()
  const met = new Map<Fault["_tag"], number>()
  const meet = (tag: Fault["_tag"]): void => count(met, tag)

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
          meet
        )
  const wire = yield* Wire.make(opened === undefined ? target : { host: "127.0.0.1", port: opened.port })

  const refuse = (fault: Fault, problem: string): Effect.Effect<never, HarnessError> =>
    Effect.fail(new HarnessError({ cluster: name, reason: new InvalidFault({ fault: fault._tag, problem }) }))
  const inject = Effect.fn("Faults.inject")(function* (
    given: Fault
  ): Effect.fn.Return<void, HarnessError, Scope.Scope> {
    const fault = yield* Effect.mapError(decode(given), (reason) => new HarnessError({ cluster: name, reason }))
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
        return meet(fault._tag)
      case "Down":
      case "LostData":
        if (outage === undefined) return yield* refuse(fault, "the proxy was not told how to take the cluster away")
        yield* outage(fault)
        return meet(fault._tag)
      case "StaleCertificate":
        if (opened === undefined) return yield* refuse(fault, NEEDS_TLS)
        yield* opened.misrepresent(fault).pipe(Effect.mapError((reason) => new HarnessError({ cluster: name, reason })))
        wire.reset()
        return meet(fault._tag)
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
      Effect.runPromise(Effect.flatMap(Scope.fork(own), (scope) => started(scope, fault, inject(fault)))),
    counters: Effect.sync(() => ({ ...wire.counters(), requests: new Map(requests), met: new Map(met) }))
  } satisfies ClusterFaults
})

const NEEDS_TLS = "it needs a proxy that opens TLS"

/** Takes a cluster away, several times if need be: it comes back with the last of them, empty if it lost its data. */
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

/** Makes a fault real in a scope of its own, for code without Effect: it heals when that is closed or the value disposed. */
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

/** The half of the proxy that reads requests, with the faults that it can make. */
const openTls = Effect.fnUntraced(function* (
  options: FaultsOptions,
  target: Target.Target,
  seen: Gateway.GatewayOptions["seen"],
  meet: (tag: Fault["_tag"]) => void
) {
  const authority = yield* Authority.make(options.name)
  const proper = yield* authority.issue()
  const faults = ActiveFaults.make(Authentication.make(options.users ?? []), meet)
  const gateway = yield* Gateway.make({ target, keys: proper, faults, seen })
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
      // Those who watch already come back, and meet it then.
      for (const watch of affected()) watch.end()
    }
    if (fault._tag !== "WatchCutEvery") return
    const cut = Effect.sync(() => {
      for (const watch of affected().filter(injection.select)) {
        meet(fault._tag)
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
