/**
 * Checks the servers of APIService objects and maintains their condition `Available`.
 *
 * **Source** Kubernetes, `k8s.io/kube-aggregator/pkg/controllers/status/remote`.
 */
import { Effect, FiberMap, Result, type Scope } from "effect"
import { type AggregatedApi, fromStored } from "../core/AggregatedApis.ts"
import { arrayAt, equals, type Json, type JsonObject, parse, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, read } from "../core/Stored.ts"
import * as Writes from "../writes/Writes.ts"
import { headersOf, originOf, type Send, why } from "./AggregatedServers.ts"

export interface Availability {
  /** Checks the server of an API again, after a request to it failed. **Shape** does nothing before `watch` runs. */
  readonly recheck: (api: AggregatedApi) => void
  /** Maintains the condition `Available` of every APIService until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

const CHECK_TIMEOUT_MS = 5_000
/** Delay of the next check after a failed one; it doubles each time. */
const FIRST_CHECK_MS = 100
const LAST_CHECK_MS = 5_000

/** Result of a check. **Shape** `list` is the APIResourceList that the server answered. */
type Verdict =
  | { readonly _tag: "Passed"; readonly list: Json }
  | { readonly _tag: "Failed"; readonly reason: string; readonly message: string }

/**
 * Checks the servers of a cluster's APIs.
 *
 * **Limits** an available server is checked again only if its objects change or a request to it fails. An unavailable
 * server is checked again after 100 ms to 5 s.
 */
export const make = (kernel: Kernel, send: Send): Availability => {
  let recheck: Availability["recheck"] = () => undefined
  const watch = Effect.gen(function* () {
    const fibers = yield* FiberMap.make<string>()
    const run = yield* FiberMap.runtime(fibers)()
    const checkRepeatedly = (name: string, pauseMs: number): Effect.Effect<void> =>
      Effect.gen(function* () {
        const stored = kernel.store.get(Resources.apiServices, name)
        const api = stored === undefined ? undefined : fromStored(stored)
        if (api === undefined) return
        const verdict = yield* check(kernel, send, api)
        if (verdict._tag === "Passed") kernel.aggregated.learn(api, verdict.list)
        writeCondition(kernel, api, verdict)
        if (verdict._tag === "Passed") return
        yield* Effect.sleep(pauseMs)
        return yield* checkRepeatedly(name, Math.min(LAST_CHECK_MS, pauseMs * 2))
      })
    const restartCheck = (name: string) => {
      run(name, checkRepeatedly(name, FIRST_CHECK_MS))
    }
    recheck = ({ name }) => restartCheck(name)
    const { store } = kernel
    yield* Effect.acquireRelease(
      Effect.sync(() => [
        store.subscribe(Resources.apiServices, ({ after, before }) => {
          // A status update by a check does not cause another check.
          const spec = (one: typeof after) => (one === undefined ? undefined : read(one)["spec"])
          if (after !== undefined && !equals(spec(after), spec(before))) restartCheck(after.name)
        }),
        store.subscribe(Resources.services, ({ after, before }) => {
          const stored = after ?? before
          for (const { name, service } of kernel.aggregated.all)
            if (service.name === stored?.name && service.namespace === stored.namespace) restartCheck(name)
        })
      ]),
      (stops) => Effect.sync(() => stops.forEach((stop) => stop()))
    )
    for (const { name } of kernel.aggregated.all) restartCheck(name)
  })
  return { recheck: (api) => recheck(api), watch }
}

const CHECKER = { name: "system:kube-aggregator", groups: ["system:masters"] }

const check = (kernel: Kernel, send: Send, api: AggregatedApi): Effect.Effect<Verdict> =>
  Effect.gen(function* () {
    const { name, namespace } = api.service
    const service = kernel.store.get(Resources.services, keyOf(namespace, name))
    const origin = originOf(kernel, api)
    if (service === undefined || origin === undefined) {
      const message = `service/${name} in ${JSON.stringify(namespace)} is not present`
      return { _tag: "Failed", reason: "ServiceNotFound", message }
    }
    const path = `/apis/${api.group}/${api.version}`
    const answered = yield* send(api, origin, { method: "GET", path, headers: headersOf(CHECKER) }).pipe(
      Effect.flatMap(({ body, statusCode }) =>
        Effect.map(
          Effect.tryPromise(() => body.text()),
          (text) => ({ statusCode, text })
        )
      ),
      Effect.timeout(CHECK_TIMEOUT_MS),
      Effect.result
    )
    const failed = (what: string): Verdict => ({
      _tag: "Failed",
      reason: "FailedDiscoveryCheck",
      message: `${origin}${path} does not answer: ${what}`
    })
    if (Result.isFailure(answered)) {
      const { failure } = answered
      return failed(failure._tag === "TimeoutError" ? `nothing for ${CHECK_TIMEOUT_MS} ms` : why(failure.cause))
    }
    const { statusCode, text } = answered.success
    if (statusCode < 200 || statusCode > 299) return failed(`status ${statusCode}`)
    const list = Result.try(() => parse(text))
    return { _tag: "Passed", list: Result.isSuccess(list) ? list.success : null }
  })

const writeCondition = (kernel: Kernel, api: AggregatedApi, verdict: Verdict): void => {
  const condition: JsonObject = {
    type: "Available",
    status: verdict._tag === "Passed" ? "True" : "False",
    reason: verdict._tag === "Passed" ? "Passed" : verdict.reason,
    message: verdict._tag === "Passed" ? "all checks passed" : verdict.message
  }
  const address = { resource: Resources.apiServices, namespace: "", name: api.name }
  // If the APIService was deleted in the meantime, the failed update is ignored.
  Writes.update(
    kernel,
    address,
    "status",
    (object) => {
      const known = arrayAt(object, "status", "conditions")[0]
      const same = textAt(known, "status") === condition["status"]
      const lastTransitionTime = same ? textAt(known, "lastTransitionTime") : timestamp(kernel.nowMs())
      return Result.succeed(put(object, ["status", "conditions"], [{ ...condition, lastTransitionTime }]))
    },
    { manager: "kube-apiserver", dryRun: false }
  )
}
