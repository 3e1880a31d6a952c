/**
 * Resolves the clusters that a request addresses, once.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import * as Target from "@quarterdeck/targeting/Target"
import type { TargetError } from "@quarterdeck/targeting"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Context, Effect, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import * as Nearest from "../../settings/Nearest.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import * as RequestRecord from "../request/RequestRecord.ts"

/** How the header is called and how many clusters one request may name. */
export const TargetOptions = Context.Reference("@quarterdeck/http-server/TargetOptions", {
  defaultValue: () => ({ header: ClusterHeader.DEFAULT_NAME, maxNames: 64 })
})

/** The target of a caller that names its clusters in the form of a body, and has no header to be read: an MCP tool. */
export const StatedTarget = Context.Reference<TargetRequest.Body | undefined>("@quarterdeck/http-server/StatedTarget", {
  defaultValue: () => undefined
})

/**
 * Reads what the header, and the body where there is one, ask for.
 *
 * **Errors** `invalid_target`, `empty_cluster_list`; a bad header also where the body's list wins.
 */
const asked = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>(
  body: TargetRequest.Body | undefined,
  isName: (text: string) => text is Name
) {
  const fromParts = TargetRequest.fromPartsOf(isName)
  const options = yield* TargetOptions
  const stated = yield* StatedTarget
  if (stated !== undefined) {
    const target = fromParts({ header: Option.none(), body: stated }, options.maxNames)
    if (Result.isFailure(target)) return yield* refusal(target.failure, "clusters")
    return { target: target.success, isUnnamed: stated.multiCluster !== true, field: "clusters" }
  }
  const request = yield* HttpServerRequest.HttpServerRequest
  const header = ClusterHeader.parseOf(isName)(HeaderLines.valuesOf(request, options.header), options.maxNames)
  if (Result.isFailure(header)) return yield* refusal(header.failure, options.header)
  const parts = fromParts(
    body === undefined ? { header: header.success } : { header: header.success, body },
    options.maxNames
  )
  if (Result.isFailure(parts)) return yield* refusal(parts.failure, options.header)
  const isOfBody = body?.multiCluster === true && body.clusters !== undefined
  const isUnnamed = Option.isNone(header.success)
  return { target: parts.success, isUnnamed, field: isOfBody ? "clusters" : options.header }
})

/**
 * Resolves a request's target inside the caller's scope.
 *
 * **Shape** notes in the request's span how many clusters it is. No span of its own: a refusal names what the caller
 * sent, which a failed span would carry out.
 *
 * **Errors** the problems `invalid_target`, `empty_cluster_list`, `cluster_forbidden`, `cluster_not_found`.
 */
export const resolve = Effect.fnUntraced(function* (body?: TargetRequest.Body) {
  const { field, target } = yield* asked(body, ClusterName.is)
  return yield* within(target, field, [])
})

/**
 * Resolves the target of a report of costs: histories of clusters that left are addressed by name, and by `*`.
 *
 * **Shape** `retired` names those histories that have costs in the report's window and that the caller may see.
 *
 * **Errors** as `resolve`.
 */
export const resolveCosts = Effect.fnUntraced(function* (
  body: TargetRequest.Body | undefined,
  retired: ReadonlyArray<HistoryName.HistoryName>
) {
  const { field, target } = yield* asked(body, HistoryName.is)
  return yield* within(target, field, retired)
})

/** Resolves the one history that the parameter `cluster` names, as `resolveCosts` does. */
export const resolveNamedCosts = (name: HistoryName.HistoryName, retired: ReadonlyArray<HistoryName.HistoryName>) =>
  within(TargetRequest.named([name]), "cluster", retired)

/** Resolves the target of the list of clusters: without a header it is every cluster in scope. */
export const resolveClusters = Effect.fnUntraced(function* () {
  const { field, isUnnamed, target } = yield* asked(undefined, ClusterName.is)
  return yield* within(isUnnamed ? TargetRequest.all : target, field, [])
})

/**
 * Resolves the one cluster that the parameter `cluster` names; the header is not read.
 *
 * **Errors** the problems `cluster_forbidden`, `cluster_not_found`.
 */
export const resolveNamed = (name: ClusterName.ClusterName) => within(TargetRequest.named([name]), "cluster", [])

/**
 * Resolves the clusters that a body's `targets` name, in their order; they win over the header, which must be well-formed.
 *
 * **Errors** the problems `invalid_target`, `cluster_forbidden`, `cluster_not_found`.
 */
export const resolveTargets = Effect.fnUntraced(function* (names: ReadonlyArray<ClusterName.ClusterName>) {
  const { header, maxNames } = yield* TargetOptions
  const given = ClusterHeader.parse(HeaderLines.valuesOf(yield* HttpServerRequest.HttpServerRequest, header), maxNames)
  if (Result.isFailure(given)) return yield* refusal(given.failure, header)
  const distinct = new Set(names)
  if (distinct.size > maxNames) {
    return yield* refuse("invalid_target", {
      detail: `targets: ${maxNames} clusters at most, not ${distinct.size}`,
      field: "targets"
    })
  }
  return yield* within(TargetRequest.named(distinct), "targets", [])
})

/**
 * Lets a header pass that names the cluster of the path, or none.
 *
 * **Errors** the problem `invalid_target`.
 */
export const requireHeaderOf = Effect.fnUntraced(function* (name: ClusterName.ClusterName) {
  const { header, maxNames } = yield* TargetOptions
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = ClusterHeader.parse(HeaderLines.valuesOf(request, header), maxNames)
  if (Result.isFailure(given)) return yield* refusal(given.failure, header)
  if (Option.isNone(given.success) || textOf(given.success.value) === name) return
  return yield* refuse("invalid_target", {
    detail: `${header}: the path names cluster ${name}; leave the header out, or name that one`,
    field: header
  })
})

/**
 * Resolves a target inside the caller's scope and notes it for the audit; `field` is where the request names its
 * clusters.
 */
const within = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName = ClusterName.ClusterName>(
  request: TargetRequest.TargetRequest<Name>,
  field: string,
  retired: ReadonlyArray<Name>
) {
  const principal = yield* Principal
  const { clusters, parent } = yield* (yield* ClusterRegistry).snapshot
  yield* note({ asked: textOf(request) })
  const scope = Rule.clusterScope(principal.rule)
  const names = [...clusters.map(({ name }) => name), ...retired]
  const target = Target.resolve<Name>(request, scope, { parent, clusters: names })
  if (Result.isFailure(target)) {
    const given: ReadonlyArray<HistoryName.HistoryName> = request._tag === "Named" ? request.names : []
    const others = names.filter((name) => Target.reaches(scope, name) && !given.includes(name))
    return yield* refusal(target.failure, field, others)
  }
  yield* note({ clusters: target.success.clusters })
  yield* Effect.annotateCurrentSpan({
    "quarterdeck.target": target.success.mode,
    "quarterdeck.clusters": target.success.clusters.length
  })
  return target.success
})

/** A target as the audit tells it. */
export const textOf = (request: TargetRequest.TargetRequest<string>): string => {
  switch (request._tag) {
    case "Parent":
      return ""
    case "All":
      return "*"
    case "Named":
      return request.names.join("|")
  }
}

/**
 * Notes what the clusters that the current request names resolve to, so that the event before a change tells of it.
 *
 * **Shape** nothing where one of them is out of scope or not registered: the request is then refused.
 */
export const noteResolved = Effect.fnUntraced(function* (
  { rule }: Principal["Service"],
  registered: { readonly clusters: ReadonlyArray<{ readonly name: ClusterName.ClusterName }> }
) {
  const { target } = yield* RequestRecord.CurrentRequest
  if (target.asked === "") return
  const known = new Map<string, ClusterName.ClusterName>(registered.clusters.map(({ name }) => [name, name]))
  const clusters = target.asked.split("|").map((name) => known.get(name))
  const scope = Rule.clusterScope(rule)
  const resolved = clusters.filter((name) => name !== undefined && Target.reaches(scope, name))
  if (resolved.length > 0 && resolved.length === clusters.length) {
    yield* note({ clusters: resolved.filter((name) => name !== undefined) })
  }
})

/** Notes the one cluster that a request changes the registration of, for the audit. */
export const noteCluster = (name: ClusterName.ClusterName): Effect.Effect<void> =>
  note({ asked: name, clusters: [name] })

/** Notes the namespaces that a request names, for the audit. */
export const noteNamespaces = (namespaces: ReadonlyArray<string> | undefined): Effect.Effect<void> =>
  namespaces === undefined ? Effect.void : note({ namespaces })

/** Notes what a request is about beside clusters, for the audit. */
export const noteObject = (object: string): Effect.Effect<void> => note({ object })

/** Notes how many keys were revoked with the one that the path names, for the audit. */
export const noteDescendants = (descendants: number): Effect.Effect<void> => note({ descendants })

const note = (about: Partial<RequestRecord.RequestRecord["target"]>): Effect.Effect<void> =>
  Effect.flatMap(RequestRecord.CurrentRequest, ({ target }) => RequestRecord.note({ target: { ...target, ...about } }))

/** Refuses; `others` are further clusters of the caller's scope, of which one may have been meant: none outside of it is told. */
const refusal = (
  error:
    | TargetError.InvalidTarget
    | TargetError.EmptyClusterList
    | TargetError.ClusterForbidden
    | TargetError.ClusterNotFound,
  place: string,
  others: ReadonlyArray<HistoryName.HistoryName> = []
): Effect.Effect<never, Problem.Problem> => {
  switch (error._tag) {
    case "InvalidTarget": {
      const field = error.field === "header" ? place : error.field
      return refuse("invalid_target", { detail: error.message.replace(/^header/, place), field })
    }
    case "EmptyClusterList":
      return refuse("empty_cluster_list", { detail: error.message, field: "clusters" })
    case "ClusterForbidden":
      return refuse("cluster_forbidden", {
        detail: error.message,
        ...(error.cluster === undefined ? {} : { field: place })
      })
    case "ClusterNotFound":
      return refuse("cluster_not_found", {
        detail: `${error.message}${Nearest.suggestion(Nearest.find(error.cluster, others))}`,
        field: place
      })
  }
}
