/**
 * The whole HTTP surface as one effect: a request in, a response out, nothing left to fail.
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
import { WorkloadHandlers } from "./handlers/WorkloadHandlers.ts"
import { HotReads } from "./hot/HotReads.ts"
import * as MetricsRoute from "./pages/MetricsRoute.ts"
import type { PageRoute } from "./pages/PageRoute.ts"
import * as Refusal from "./refusal/Refusal.ts"
import * as McpApp from "./mcp/McpApp.ts"
import * as McpRoute from "./mcp/McpRoute.ts"
import * as OidcRoutes from "./pages/OidcRoutes.ts"
import * as ReplyHeaders from "./request/ReplyHeaders.ts"
import * as RequestConnection from "./request/RequestConnection.ts"
import * as RequestId from "./request/RequestId.ts"
import * as RequestRecord from "./request/RequestRecord.ts"
import * as HostHeader from "./guard/HostHeader.ts"
import * as TargetResolution from "./guard/TargetResolution.ts"
import * as ServedRequest from "./audit/ServedRequest.ts"

/** One path, one spelling: a policy, a log line and a proxy's rule must agree on what was asked. */
const ROUTER_CONFIG = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  /** The longest name of Kubernetes, and of a cluster. */
  maxParamLength: 253
}

/** The router takes `;` and `#` for the end of a path, so that one route would have paths without number. */
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
  PodHandlers,
  PriceHandlers,
  SessionHandlers,
  WhoamiHandlers,
  WorkloadHandlers
)

/** Builds what answers by the routes, and what answers where there is none. */
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
    // A host's own router must not be found and filled: that would serve these routes outside the host's prefix.
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

  /** Unknown paths need a key too, so that nobody can map the surface without one. */
  const unmatched = Effect.gen(function* () {
    yield* guard.authenticate
    const request = yield* HttpServerRequest.HttpServerRequest
    const methods = isPlainPath(request.url) ? allowedMethods(request.url) : []
    if (methods.length === 0) return yield* Refusal.refuse("not_found", { detail: "no route has this path" })
    const allow = methods.join(", ")
    return yield* Refusal.refuse("method_not_allowed", { detail: `the path answers to ${allow}` }, { allow })
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
 * Builds the effect that serves one request.
 *
 * **Errors** none is left: a refusal is a problem document, a defect is logged and becomes `internal_error`.
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

  /** Finds what answers a request. */
  const answerOf = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
    if (!isPlainPath(url)) return unmatched
    return McpRoute.isOf(method, url)
      ? // What a router serves ends when its client leaves; what is served beside one must say so.
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
    const answer = HostHeader.oneHost.pipe(
      Effect.matchEffect({
        onFailure: (problem) => Effect.succeed(Refusal.respond(problem)),
        onSuccess: () => answerOf(request)
      })
    )
    const response = yield* serve(request, record, answer)
    yield* hotReads.keep(request.source, record)
    return ReplyHeaders.add(response, ReplyHeaders.of(record))
  })
})

/** Gives the methods that a path answers to. **Shape** empty when no route has the path; `HEAD` goes with `GET`. */
type AllowedMethods = (url: string) => ReadonlyArray<string>

/**
 * Collects routes, matched as the router matches them.
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

/** Notes the pattern of the route that the router found, before anything of it runs. */
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
    Effect.andThen(Refusal.make("internal_error", { detail: "the service failed; its log holds the cause" })),
    Effect.map(Refusal.respond)
  )
