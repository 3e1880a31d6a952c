/**
 * Admits a request to the clusters that it names, or refuses, and notes them for the audit.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import type * as Problem from "@quarterdeck/contract/Problem"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import type * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Context, Effect, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import * as Nearest from "../../settings/Nearest.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as ResolvedRequest from "./ResolvedRequest.ts"
import { TargetOptions } from "./ResolvedRequest.ts"

/** The target of a caller that names its clusters in the form of a body, and has no header to be read: an MCP tool. */
export const StatedTarget = Context.Reference<TargetRequest.Body | undefined>("@quarterdeck/http-server/StatedTarget", {
  defaultValue: () => undefined
})

/** Header and stated target of the current request. */
export const sources = Effect.gen(function* () {
  const { header } = yield* TargetOptions
  const request = yield* HttpServerRequest.HttpServerRequest
  return { header: HeaderLines.valuesOf(request, header), stated: yield* StatedTarget }
})

/**
 * Admits the current request to the clusters that its path or header names, and notes them for the audit.
 *
 * **Errors** the problems `invalid_target`, `empty_cluster_list`, `cluster_forbidden`, `cluster_not_found`.
 */
export const admit = Effect.gen(function* () {
  const { principal, target } = yield* ResolvedRequest.current
  return { principal, target: yield* admitted(target) }
})

/** Admits the current request to the clusters that its header and its body name. **Errors** as `admit`. */
export const admitBody = Effect.fnUntraced(function* (body: TargetRequest.Body) {
  return yield* admitAsked(yield* askedBy(body, ClusterName.is))
})

/**
 * Admits a report of costs to its clusters: histories of clusters that left are addressed by name, and by `*`.
 *
 * **Shape** `retired` names those histories that have costs in the report's window and that the caller may see.
 *
 * **Errors** as `admit`.
 */
export const admitCosts = Effect.fnUntraced(function* (
  body: TargetRequest.Body,
  retired: ReadonlyArray<HistoryName.HistoryName>
) {
  return yield* admitAsked(yield* askedBy(body, HistoryName.is), retired)
})

/** Admits the current request to the one cluster, or history of one, that `cluster` names. **Errors** as `admit`. */
export const admitNamed = <Name extends HistoryName.HistoryName>(name: Name, retired: ReadonlyArray<Name> = []) =>
  admitAsked(Result.succeed(ResolvedRequest.namedBy("cluster", [name])), retired)

/**
 * Admits the current request to the clusters that a body's `targets` name, in their order; they win over the header, which
 * must be well-formed.
 *
 * **Errors** the problems `invalid_target`, `cluster_forbidden`, `cluster_not_found`.
 */
export const admitTargets = Effect.fnUntraced(function* (names: ReadonlyArray<ClusterName.ClusterName>) {
  const { header, maxNames } = yield* TargetOptions
  const given = ClusterHeader.parse(HeaderLines.valuesOf(yield* HttpServerRequest.HttpServerRequest, header), maxNames)
  if (Result.isFailure(given)) return yield* refusal({ error: given.failure, field: header, others: [] })
  const distinct = new Set(names)
  if (distinct.size > maxNames) {
    return yield* refuse("invalid_target", {
      detail: `targets: ${maxNames} clusters at most, not ${distinct.size}`,
      field: "targets"
    })
  }
  return yield* admitAsked(Result.succeed(ResolvedRequest.namedBy("targets", distinct)))
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
  if (Result.isFailure(given)) return yield* refusal({ error: given.failure, field: header, others: [] })
  if (Option.isNone(given.success) || textOf(given.success.value) === name) return
  return yield* refuse("invalid_target", {
    detail: `${header}: the path names cluster ${name}; leave the header out, or name that one`,
    field: header
  })
})

const askedBy = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>(
  body: TargetRequest.Body,
  isName: (text: string) => text is Name
) {
  return ResolvedRequest.ask(isName, { ...(yield* sources), body }, yield* TargetOptions)
})

/** Resolves what a body names, by the clusters that are registered once it is read. */
const admitAsked = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>(
  asked: Result.Result<ResolvedRequest.Asked<Name>, ResolvedRequest.Refused>,
  retired: ReadonlyArray<Name> = []
) {
  const { principal } = yield* ResolvedRequest.current
  const registered = yield* (yield* ClusterRegistry).snapshot
  return yield* admitted(ResolvedRequest.resolve(asked, principal.rule, registered, retired))
})

/**
 * Notes a resolved target for the audit and gives it, or refuses.
 *
 * **Shape** notes in the request's span how many clusters it is. No span of its own: a refusal names what the caller
 * sent, which a failed span would carry out.
 */
const admitted = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>({
  asked,
  target
}: ResolvedRequest.Resolution<Name>) {
  if (asked !== undefined) yield* note({ asked: textOf(asked) })
  if (Result.isFailure(target)) return yield* refusal(target.failure)
  const { clusters, mode } = target.success
  yield* note({ clusters })
  yield* Effect.annotateCurrentSpan({ "quarterdeck.target": mode, "quarterdeck.clusters": clusters.length })
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
export const noteResolved = Effect.fnUntraced(function* (registered: ResolvedRequest.Registered) {
  const { target } = yield* RequestRecord.CurrentRequest
  const names = target.asked.split("|")
  if (!names.every(ClusterName.is)) return
  const { principal } = yield* ResolvedRequest.current
  const resolved = ResolvedRequest.inScope(ResolvedRequest.namedBy("target", names), principal.rule, registered)
  if (Result.isSuccess(resolved.target)) yield* note({ clusters: resolved.target.success.clusters })
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

/** Notes what path or body of a request name, for the audit of a request that is refused before it is resolved. */
export const noteNamed = (target: RequestRecord.RequestRecord["target"] | undefined): Effect.Effect<void> =>
  target === undefined ? Effect.void : write({ target })

const write = RequestRecord.writer("target")

const note = (about: Partial<RequestRecord.RequestRecord["target"]>): Effect.Effect<void> =>
  Effect.flatMap(RequestRecord.CurrentRequest, ({ target }) => write({ target: { ...target, ...about } }))

/** Refuses, with a suggestion out of the caller's scope alone. */
const refusal = ({ error, field: place, others }: ResolvedRequest.Refused): Effect.Effect<never, Problem.Problem> => {
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
