/**
 * Passes requests on to the servers behind APIService objects, and says whether these answer.
 *
 * **Source** Kubernetes, `k8s.io/kube-aggregator/pkg/apiserver` and `pkg/controllers/status/remote`.
 *
 * @since 0.1.0
 */
import { Effect, FiberMap, Result, type Scope } from "effect"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { Agent, type Dispatcher } from "undici"
import { type AggregatedApi, fromStored } from "../core/AggregatedApis.ts"
import type { ApiRequest } from "../core/ApiRequest.ts"
import { arrayAt, equals, type Json, type JsonObject, parse, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, read } from "../core/Stored.ts"
import * as Writes from "../writes/Writes.ts"
import * as Sending from "./Sending.ts"

/** A request that goes on to another server. */
interface Forwarded {
  readonly api: AggregatedApi
  readonly request: ApiRequest
}

export interface Aggregator {
  /** Answers with what the other server says, or 503 with the reason why it says nothing. */
  readonly forward: (response: ServerResponse, forwarded: Forwarded) => Effect.Effect<void>
  /** Looks after the condition `Available` of all APIServices until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

const CHECK_TIMEOUT_MS = 5_000
/** How long after a failed check the next one comes, doubling. */
const FIRST_CHECK_MS = 100
const LAST_CHECK_MS = 5_000
const CONNECTIONS = 16

/** The verdict on a server. **Shape** `list` is what it says it has. */
type Verdict =
  | { readonly _tag: "Passed"; readonly list: Json }
  | { readonly _tag: "Failed"; readonly reason: string; readonly message: string }

/**
 * **Limits** a server that answers is not asked again until its objects change or a request to it fails; one that does
 * not is asked again after 100 ms to 5 s. Connections close with the scope.
 *
 * @since 0.1.0
 */
export const make = (kernel: Kernel): Effect.Effect<Aggregator, never, Scope.Scope> =>
  Effect.gen(function* () {
    const agents = new Map<string, Agent>()
    yield* Effect.addFinalizer(() =>
      Effect.forEach([...agents.values()], (agent) => Effect.promise(() => agent.destroy()), { discard: true })
    )
    const agentFor = ({ caPem, service, trustsAnybody }: AggregatedApi): Agent => {
      const key = JSON.stringify([caPem, trustsAnybody, service])
      const known = agents.get(key)
      if (known !== undefined) return known
      // A certificate is for the name that the service has inside the cluster, wherever it runs.
      const servername = `${service.name}.${service.namespace}.svc`
      const trust = trustsAnybody ? { rejectUnauthorized: false } : caPem === "" ? {} : { ca: caPem }
      const agent = new Agent({ connections: CONNECTIONS, connect: { ...trust, servername } })
      agents.set(key, agent)
      return agent
    }
    const send = (api: AggregatedApi, origin: string, options: Omit<Dispatcher.RequestOptions, "origin">) =>
      Effect.tryPromise((signal) => agentFor(api).request({ ...options, origin, signal }))

    let recheck: (api: AggregatedApi) => void = () => undefined

    const forward = (response: ServerResponse, { api, request }: Forwarded): Effect.Effect<void> =>
      Effect.gen(function* () {
        const origin = originOf(kernel, api)
        if (!api.available || origin === undefined) return yield* refuse(response, "service unavailable\n")
        const query = request.query.toString()
        const answered = yield* Effect.result(
          send(api, origin, {
            method: methodOf(request.method),
            path: query === "" ? request.path : `${request.path}?${query}`,
            headers: headersFor(request),
            body: request.body === "" ? null : request.body
          })
        )
        if (Result.isFailure(answered)) {
          recheck(api)
          return yield* refuse(response, `error trying to reach service: ${why(answered.failure.cause)}\n`)
        }
        const { body, headers, statusCode } = answered.success
        response.writeHead(statusCode, passedOn(headers))
        response.flushHeaders()
        // A stream that breaks off breaks off for the client too.
        yield* Effect.tryPromise((signal) => pipeline(body, response, { signal })).pipe(
          Effect.catch(() => Effect.sync(() => response.destroy()))
        )
      })

    const check = (api: AggregatedApi): Effect.Effect<Verdict> =>
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
        const url = `${origin}${path}`
        const failed = (message: string): Verdict => ({ _tag: "Failed", reason: "FailedDiscoveryCheck", message })
        if (Result.isFailure(answered)) {
          const cause =
            answered.failure._tag === "TimeoutError" ? "context deadline exceeded" : why(answered.failure.cause)
          return failed(`failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${cause}`)
        }
        const { statusCode, text } = answered.success
        if (statusCode < 200 || statusCode > 299)
          return failed(`failing or missing response from ${url}: bad status from ${url}: ${statusCode}`)
        const list = Result.try(() => parse(text))
        return { _tag: "Passed", list: Result.isSuccess(list) ? list.success : null }
      })

    const watch = Effect.gen(function* () {
      const fibers = yield* FiberMap.make<string>()
      const run = yield* FiberMap.runtime(fibers)()
      const judge = (name: string, pauseMs: number): Effect.Effect<void> =>
        Effect.gen(function* () {
          const stored = kernel.store.get(Resources.apiServices, name)
          const api = stored === undefined ? undefined : fromStored(stored)
          if (api === undefined) return
          const verdict = yield* check(api)
          if (verdict._tag === "Passed") kernel.aggregated.learn(api, verdict.list)
          tell(kernel, api, verdict)
          if (verdict._tag === "Passed") return
          yield* Effect.sleep(pauseMs)
          return yield* judge(name, Math.min(LAST_CHECK_MS, pauseMs * 2))
        })
      const begin = (name: string) => {
        run(name, judge(name, FIRST_CHECK_MS))
      }
      recheck = ({ name }) => begin(name)
      const { store } = kernel
      yield* Effect.acquireRelease(
        Effect.sync(() => [
          store.subscribe(Resources.apiServices, ({ after, before }) => {
            // Its own verdict changes nothing of what there is to judge.
            const spec = (one: typeof after) => (one === undefined ? undefined : read(one)["spec"])
            if (after !== undefined && !equals(spec(after), spec(before))) begin(after.name)
          }),
          store.subscribe(Resources.services, ({ after, before }) => {
            const stored = after ?? before
            for (const { name, service } of kernel.aggregated.all)
              if (service.name === stored?.name && service.namespace === stored.namespace) begin(name)
          })
        ]),
        (stops) => Effect.sync(() => stops.forEach((stop) => stop()))
      )
      for (const { name } of kernel.aggregated.all) begin(name)
    })
    return { forward, watch }
  })

const refuse = (response: ServerResponse, text: string): Effect.Effect<void> =>
  Sending.whole(response, 503, "text/plain; charset=utf-8", text)

/** Where the service of an API is; only one with a name outside the cluster can be reached, for no pod runs here. */
const originOf = ({ store }: Kernel, { service }: AggregatedApi): string | undefined => {
  const stored = store.get(Resources.services, keyOf(service.namespace, service.name))
  if (stored === undefined) return undefined
  const object = read(stored)
  const outside = textAt(object, "spec", "type") === "ExternalName"
  const host = textAt(object, "spec", outside ? "externalName" : "clusterIP")
  return host === "" || host === "None"
    ? undefined
    : `https://${host.includes(":") ? `[${host}]` : host}:${service.port}`
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const methodOf = (method: string): Dispatcher.HttpMethod => METHODS.find((one) => one === method) ?? "GET"

const CHECKER = { name: "system:kube-aggregator", groups: ["system:masters"] }

/** Who asks, as the other server is told: it takes this server's word for it. */
const headersOf = (user: ApiRequest["user"]): Record<string, string | Array<string>> => ({
  "x-remote-user": user.name,
  "x-remote-group": [...user.groups],
  ...(user.uid === undefined ? {} : { "x-remote-uid": user.uid }),
  ...Object.fromEntries(
    Object.entries(user.extra ?? {}).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]])
  )
})

const headersFor = (request: ApiRequest): Record<string, string | Array<string>> => ({
  ...headersOf(request.user),
  ...(request.accept === undefined ? {} : { accept: request.accept }),
  ...(request.contentType === "" ? {} : { "content-type": request.contentType }),
  ...(request.userAgent === "" ? {} : { "user-agent": request.userAgent })
})

/** Headers that belong to one connection alone. */
const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"])

const passedOn = (headers: IncomingHttpHeaders): Record<string, string | Array<string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || HOP.has(name) ? [] : [[name, value]]))
  )

/** The cause of a failed connection, in the words of the real server where it has its own. */
const why = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  if (!(inner instanceof Error)) return cause.message
  const place = "address" in inner && "port" in inner ? `${String(inner.address)}:${String(inner.port)}` : ""
  return inner.message.includes("ECONNREFUSED") ? `dial tcp ${place}: connect: connection refused` : inner.message
}

const tell = (kernel: Kernel, api: AggregatedApi, verdict: Verdict): void => {
  const condition: JsonObject = {
    type: "Available",
    status: verdict._tag === "Passed" ? "True" : "False",
    reason: verdict._tag === "Passed" ? "Passed" : verdict.reason,
    message: verdict._tag === "Passed" ? "all checks passed" : verdict.message
  }
  const address = { resource: Resources.apiServices, namespace: "", name: api.name }
  // One that has gone in the meantime needs no verdict.
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
