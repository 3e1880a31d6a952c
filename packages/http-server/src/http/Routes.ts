/**
 * All HTTP routes as one effect from a request to a response, without an error channel.
 */
import { Api } from "@quarterdeck/contract/Api"
import { Cause, Effect, Layer } from "effect"
import { FindMyWay, HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AllowedAddress from "./guard/AllowedAddress.ts"
import * as DashboardRoute from "./pages/DashboardRoute.ts"
import * as Documentation from "./pages/Documentation.ts"
import * as Endpoints from "./request/Endpoints.ts"
import { Guard } from "./guard/Guard.ts"
import { AccessReviewHandlers } from "./handlers/AccessReviewHandlers.ts"
import { ApiKeyHandlers, WhoamiHandlers } from "./handlers/ApiKeyHandlers.ts"
import { AuditHandlers } from "./handlers/AuditHandlers.ts"
import { ClusterHandlers } from "./handlers/ClusterHandlers.ts"
import { CostHandlers } from "./handlers/CostHandlers.ts"
import { EventHandlers } from "./handlers/EventHandlers.ts"
import { HealthHandlers } from "./handlers/HealthHandlers.ts"
import { NamespaceHandlers } from "./handlers/NamespaceHandlers.ts"
import { PodHandlers } from "./handlers/PodHandlers.ts"
import { PriceHandlers } from "./handlers/PriceHandlers.ts"
import { SessionHandlers } from "./handlers/SessionHandlers.ts"
import { LogHandlers } from "./handlers/LogHandlers.ts"
import { OneWorkloadHandlers } from "./handlers/OneWorkloadHandlers.ts"
import { OverviewHandlers } from "./handlers/OverviewHandlers.ts"
import { WorkloadHandlers } from "./handlers/WorkloadHandlers.ts"
import { HotReads } from "./hot/HotReads.ts"
import * as MetricsRoute from "./pages/MetricsRoute.ts"
import type { PageRoute } from "./pages/PageRoute.ts"
import * as Refusal from "./refusal/Refusal.ts"
import * as McpApp from "./mcp/McpApp.ts"
import * as McpRoute from "./mcp/McpRoute.ts"
import * as OidcRoutes from "./pages/OidcRoutes.ts"
import * as HeaderLines from "./request/HeaderLines.ts"
import * as ReplyHeaders from "./request/ReplyHeaders.ts"
import * as RequestConnection from "./request/RequestConnection.ts"
import * as RequestId from "./request/RequestId.ts"
import * as RequestRecord from "./request/RequestRecord.ts"
import * as TargetResolution from "./guard/TargetResolution.ts"
import * as ServedRequest from "./audit/ServedRequest.ts"

/** Each route has exactly one spelling, so that policies, log lines and rules of proxies agree on the path. */
const ROUTER_CONFIG = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  /** Length of the longest name of Kubernetes objects and of clusters. */
  maxParamLength: 253
}

/** Returns false for a path with `;` or `#`. The router ends paths there, so a route would have unlimited spellings. */
const isPlainPath = (url: string): boolean => !/^[^?;#]*[;#]/.test(url)

const handlers = Layer.mergeAll(
  AccessReviewHandlers,
  ApiKeyHandlers,
  AuditHandlers,
  ClusterHandlers,
  CostHandlers,
  EventHandlers,
  HealthHandlers,
  LogHandlers,
  NamespaceHandlers,
  OneWorkloadHandlers,
  OverviewHandlers,
  PodHandlers,
  PriceHandlers,
  SessionHandlers,
  WhoamiHandlers,
  WorkloadHandlers
)

/** Builds the handler of all routes, and the handler of unknown paths. */
const makeRouter = Effect.gen(function* () {
  const guard = yield* Guard
  const metrics = yield* MetricsRoute.routes
  const dashboard = yield* DashboardRoute.routes
  const pages = [...dashboard, ...(yield* OidcRoutes.routes)]
  const router = yield* HttpRouter.toHttpEffect(
    Layer.mergeAll(
      HttpApiBuilder.layer(Api).pipe(
        Layer.provide(handlers),
        Layer.provide([Guard.layerAuthorization, Guard.layerSameOrigin])
      ),
      Documentation.layer,
      HttpRouter.addAll([...metrics, ...pages.map(({ route }) => route)])
    ).pipe(Layer.provide(noteRoute(pages)))
  ).pipe(
    Effect.provideService(HttpRouter.RouterConfig, ROUTER_CONFIG),
    // A fresh memo map keeps these routes out of a host's own router, which would serve them outside the host's prefix.
    Effect.provideService(Layer.CurrentMemoMap, yield* Layer.makeMemoMap)
  )
  const allowedMethods = makeAllowedMethods(
    [
      ...Endpoints.all,
      { method: "GET", path: Documentation.OPENAPI_PATH },
      { method: "GET", path: Documentation.DOCS_PATH },
      ...McpRoute.METHODS.map((method) => ({ method, path: McpApp.MCP_PATH })),
      ...pages.map(({ path }) => ({ method: "GET", path })),
      ...metrics.map(() => ({ method: "GET", path: MetricsRoute.METRICS_PATH }))
    ],
    ROUTER_CONFIG
  )

  /** Handles unknown paths. They require a key too, so that clients without a key cannot discover routes. */
  const unmatched = Effect.gen(function* () {
    yield* guard.authenticate
    const request = yield* HttpServerRequest.HttpServerRequest
    const methods = isPlainPath(request.url) ? allowedMethods(request.url) : []
    if (methods.length === 0) return yield* Refusal.refuse("not_found", { detail: "no route has this path" })
    const allow = methods.join(", ")
    return yield* Refusal.refuse("method_not_allowed", { detail: `the path allows only ${allow}` }, { allow })
  }).pipe(Effect.catch((problem) => Effect.succeed(Refusal.respond(problem))))

  const answered = router.pipe(
    Effect.catchIf(
      (error) => error._tag === "HttpServerError" && error.reason._tag === "RouteNotFound",
      () => unmatched
    ),
    Effect.catchCause(failed)
  )

  return { answered, unmatched }
})

/**
 * Fails if the request has more than one `Host`.
 *
 * **Errors** `malformed_request`: a proxy could have used one `Host` line, and the service the other.
 *
 * **Source** RFC 9112 §3.2.
 */
const oneHost = Effect.gen(function* () {
  const hosts = HeaderLines.valuesOf(yield* HttpServerRequest.HttpServerRequest, "host")
  if (hosts.length < 2 && hosts[0]?.includes(",") !== true) return
  return yield* Refusal.refuse("malformed_request", { detail: "Host: must be sent only once", field: "Host" })
})

/**
 * Builds the effect that serves one request.
 *
 * **Errors** none: a refusal becomes a problem document; a defect is logged and becomes `internal_error`.
 */
export const make = Effect.gen(function* () {
  const connections = yield* RequestConnection.make
  const warnOfForwarding = yield* AllowedAddress.makeForwardingWarning
  const hotReads = yield* HotReads
  const serve = yield* ServedRequest.make
  const { answered, unmatched } = yield* makeRouter
  const mcp = yield* McpRoute.make((request, target, within) => {
    const record = RequestRecord.make(within.requestId, within, "mcp")
    return serve(request, record, Effect.provideService(answered, TargetResolution.StatedTarget, target)).pipe(
      Effect.tap(() => RequestRecord.addLimits(within, record)),
      Effect.map((response) => ReplyHeaders.add(response, record.replyHeaders)),
      Effect.scoped
    )
  })

  /** Finds the handler of a request. */
  const answerOf = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
    if (!isPlainPath(url)) return unmatched
    return McpRoute.isOf(method, url)
      ? // The router interrupts its handlers if the client disconnects. MCP is outside the router, so it must opt in.
        Effect.andThen(writeRoute({ route: McpApp.MCP_PATH }), Effect.interruptible(mcp)).pipe(
          Effect.catch((problem) => Effect.succeed(Refusal.respond(problem))),
          Effect.catchCause(failed)
        )
      : answered
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const record = RequestRecord.make(RequestId.of(request), connections.of(request))
    yield* warnOfForwarding(request)
    const answer = oneHost.pipe(
      Effect.matchEffect({
        onFailure: (problem) => Effect.succeed(Refusal.respond(problem)),
        onSuccess: () => answerOf(request)
      })
    )
    const response = yield* serve(request, record, answer)
    hotReads.keep(request.source, record)
    return ReplyHeaders.add(response, ReplyHeaders.of(record))
  })
})

/** Returns the methods that a path allows. **Shape** empty if no route has the path; `GET` implies `HEAD`. */
type AllowedMethods = (url: string) => ReadonlyArray<string>

/**
 * Makes an `AllowedMethods` function. It matches paths as the router does.
 */
const makeAllowedMethods = (
  routes: ReadonlyArray<{ readonly method: string; readonly path: `/${string}` }>,
  config: Partial<FindMyWay.RouterConfig>
): AllowedMethods => {
  const router = FindMyWay.make<string>(config)
  const methods = new Set(routes.map(({ method }) => method))
  for (const { method, path } of routes) router.on(method, path, method)
  return (url) =>
    [...methods]
      .filter((method) => router.find(method, url) !== undefined)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
}

const writeRoute = RequestRecord.writer("route")

/** Records the pattern of the matched route before its handler runs. */
const noteRoute = (pages: ReadonlyArray<PageRoute>) => {
  const patterns = new Map<string, string>(pages.map(({ path, pattern }) => [path, pattern]))
  return HttpRouter.middleware((handler) =>
    Effect.flatMap(HttpRouter.RouteContext, ({ route: { path } }) =>
      Effect.andThen(writeRoute({ route: patterns.get(path) ?? path }), handler)
    )
  ).layer
}

const failed = (cause: Cause.Cause<unknown>) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : failure(cause))

const failure = (cause: Cause.Cause<unknown>) =>
  Effect.logError("request failed", cause).pipe(
    Effect.andThen(Refusal.make("internal_error", { detail: "the service failed; its log has the cause" })),
    Effect.map(Refusal.respond)
  )
