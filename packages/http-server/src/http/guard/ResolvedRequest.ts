/**
 * Caller, target and query of one request: resolved once by the guard, read by limits and handlers.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { TargetError } from "@quarterdeck/targeting"
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import type * as HistoryName from "@quarterdeck/targeting/HistoryName"
import * as Target from "@quarterdeck/targeting/Target"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Context, Effect, Option, Result } from "effect"
import { parametersOf } from "./RequestInput.ts"

/** Name of the cluster header, and the maximum number of clusters that one request may name. */
export const TargetOptions = Context.Reference("@quarterdeck/http-server/TargetOptions", {
  defaultValue: () => ({ header: ClusterHeader.DEFAULT_NAME, maxNames: 64 })
})

type Options = typeof TargetOptions.Service

/** The registered clusters at one instant. */
export interface Registered {
  readonly parent: ClusterName.ClusterName
  readonly clusters: ReadonlyArray<{ readonly name: ClusterName.ClusterName }>
}

/** The clusters that a request names. **Shape** `field` is the part of the request that names them. */
export interface Asked<Name extends string = ClusterName.ClusterName> {
  readonly request: TargetRequest.TargetRequest<Name>
  readonly field: string
}

/** A target that is refused. **Shape** `others` are clusters in scope that the request does not name, for a suggestion. */
export interface Refused {
  readonly error:
    | TargetError.InvalidTarget
    | TargetError.EmptyClusterList
    | TargetError.ClusterForbidden
    | TargetError.ClusterNotFound
  readonly field: string
  readonly others: ReadonlyArray<HistoryName.HistoryName>
}

/** The outcome of resolving a target. **Shape** `asked` is undefined if header or body is malformed. */
export interface Resolution<Name extends HistoryName.HistoryName = ClusterName.ClusterName> {
  readonly asked: TargetRequest.TargetRequest<Name> | undefined
  readonly target: Result.Result<Target.Target<Name | ClusterName.ClusterName>, Refused>
}

export interface ResolvedRequest {
  readonly principal: Principal["Service"]
  /** Query parameters, before their schema decodes them. */
  readonly query: URLSearchParams
  /** The clusters that path or header name. Handlers whose body names clusters resolve the body. */
  readonly target: Resolution
}

/** The parts of a request that can name clusters. **Shape** `stated` replaces the header: MCP tools state their target. */
interface Sources {
  readonly header: ReadonlyArray<string>
  readonly stated?: TargetRequest.Body | undefined
  readonly body?: TargetRequest.Body | undefined
}

/**
 * Returns the clusters that header and body name, or `unnamed` if neither names a cluster.
 *
 * **Errors** `InvalidTarget`, `EmptyClusterList`. A malformed header is refused even if the body's list takes precedence.
 */
export const ask = <Name extends HistoryName.HistoryName>(
  isName: (text: string) => text is Name,
  { body, header: values, stated }: Sources,
  options: Options,
  unnamed: TargetRequest.TargetRequest<never> = TargetRequest.parent
): Result.Result<Asked<Name>, Refused> => {
  const fromParts = TargetRequest.fromPartsOf(isName)
  const refused = (error: Refused["error"], field: string) => Result.fail({ error, field, others: [] })
  if (stated !== undefined) {
    const request = fromParts({ header: Option.none(), body: stated }, options.maxNames)
    if (Result.isFailure(request)) return refused(request.failure, "clusters")
    return Result.succeed({ request: stated.multiCluster === true ? request.success : unnamed, field: "clusters" })
  }
  const header = ClusterHeader.parseOf(isName)(values, options.maxNames)
  if (Result.isFailure(header)) return refused(header.failure, options.header)
  if (body === undefined) {
    return Result.succeed({ request: Option.getOrElse(header.success, () => unnamed), field: options.header })
  }
  const request = fromParts({ header: header.success, body }, options.maxNames)
  if (Result.isFailure(request)) return refused(request.failure, options.header)
  const isOfBody = body.multiCluster === true && body.clusters !== undefined
  return Result.succeed({ request: request.success, field: isOfBody ? "clusters" : options.header })
}

/**
 * Resolves the requested clusters within the cluster scope of a rule. **Shape** `retired` are names of removed clusters
 * with a cost history. They count as registered.
 */
export const inScope = <Name extends HistoryName.HistoryName = ClusterName.ClusterName>(
  { field, request }: Asked<Name>,
  rule: Rule.Rule,
  { clusters, parent }: Registered,
  retired: ReadonlyArray<Name> = []
): Resolution<Name> => {
  const scope = Rule.clusterScope(rule)
  const names = [...clusters.map(({ name }) => name), ...retired]
  const target = Target.resolve(request, scope, { parent, clusters: names })
  const refused = (error: Refused["error"]): Refused => {
    const given: ReadonlyArray<HistoryName.HistoryName> = request._tag === "Named" ? request.names : []
    return { error, field, others: names.filter((name) => Target.reaches(scope, name) && !given.includes(name)) }
  }
  return { asked: request, target: Result.mapError(target, refused) }
}

/** Resolves the requested clusters, or returns the error if they could not be read from the request. */
export const resolve = <Name extends HistoryName.HistoryName>(
  asked: Result.Result<Asked<Name>, Refused>,
  rule: Rule.Rule,
  registered: Registered,
  retired: ReadonlyArray<Name> = []
): Resolution<Name> =>
  Result.isFailure(asked)
    ? { asked: undefined, target: Result.fail(asked.failure) }
    : inScope(asked.success, rule, registered, retired)

/** A request before its body is read. **Shape** `cluster` is the cluster in the path. */
interface Facts extends Pick<Sources, "header" | "stated"> {
  readonly principal: Principal["Service"]
  readonly url: string
  readonly cluster: string | undefined
  readonly unnamed: TargetRequest.TargetRequest<never>
}

/** Resolves a request. **Limits** pure; linear in the clusters. */
export const make = (
  { cluster, header, principal, stated, unnamed, url }: Facts,
  registered: Registered,
  options: Options
): ResolvedRequest => {
  const asked =
    cluster !== undefined && ClusterName.is(cluster)
      ? Result.succeed(namedBy("cluster", [cluster]))
      : ask(ClusterName.is, { header, stated }, options, unnamed)
  return { principal, query: parametersOf(url), target: resolve(asked, principal.rule, registered) }
}

/** Makes a request for named clusters. **Shape** `field` is the part of the request that names them. */
export const namedBy = <Name extends HistoryName.HistoryName>(field: string, names: Iterable<Name>): Asked<Name> => ({
  field,
  request: TargetRequest.named(names)
})

/** The request that the guard resolved for the current fiber. */
const Current = Context.Reference<ResolvedRequest | undefined>("@quarterdeck/http-server/ResolvedRequest", {
  defaultValue: () => undefined
})

/** Runs an effect that serves a resolved request. */
export const provide = (resolved: ResolvedRequest) => Effect.provideService(Current, resolved)

/** The current request. Dies in endpoints without the Authorization middleware, which resolves the request. */
export const current: Effect.Effect<ResolvedRequest> = Effect.flatMap(Current, (resolved) =>
  resolved === undefined ? Effect.die(new Error("the endpoint has no Authorization")) : Effect.succeed(resolved)
)
