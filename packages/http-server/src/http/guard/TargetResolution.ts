/**
 * Admits a request to the clusters that it names or refuses it, and records the target for the audit.
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

/** Target of an MCP tool call, in the form of a body. If set, the cluster header is not read. */
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
 * Admits the current request to the clusters that its path or header names, and records them for the audit.
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
 * Admits a cost report to its clusters. A name or `*` can also address the history of a removed cluster.
 *
 * **Shape** `retired` are the histories that have costs in the report's window and that the caller may see.
 *
 * **Errors** as `admit`.
 */
export const admitCosts = Effect.fnUntraced(function* (
  body: TargetRequest.Body,
  retired: ReadonlyArray<HistoryName.HistoryName>
) {
  return yield* admitAsked(yield* askedBy(body, HistoryName.is), retired)
})

/** Admits the current request to the cluster, or the history of a cluster, that `name` names. **Errors** as `admit`. */
export const admitNamed = <Name extends HistoryName.HistoryName>(name: Name, retired: ReadonlyArray<Name> = []) =>
  admitAsked(Result.succeed(ResolvedRequest.namedBy("cluster", [name])), retired)

/**
 * Admits the current request to the clusters that the body's `targets` name, in their order. `targets` take precedence over
 * the header, which must still be well-formed.
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
      detail: `targets: at most ${maxNames} clusters, not ${distinct.size}`,
      field: "targets"
    })
  }
  return yield* admitAsked(Result.succeed(ResolvedRequest.namedBy("targets", distinct)))
})

/**
 * Fails if the cluster header names anything but the cluster in the path.
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
    detail: `${header}: must name cluster ${name}, as the path does, or be omitted`,
    field: header
  })
})

const askedBy = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>(
  body: TargetRequest.Body,
  isName: (text: string) => text is Name
) {
  return ResolvedRequest.ask(isName, { ...(yield* sources), body }, yield* TargetOptions)
})

/** Admits the current request to the requested clusters, resolved against the clusters registered now. */
const admitAsked = Effect.fnUntraced(function* <Name extends HistoryName.HistoryName>(
  asked: Result.Result<ResolvedRequest.Asked<Name>, ResolvedRequest.Refused>,
  retired: ReadonlyArray<Name> = []
) {
  const { principal } = yield* ResolvedRequest.current
  const registered = yield* (yield* ClusterRegistry).snapshot
  return yield* admitted(ResolvedRequest.resolve(asked, principal.rule, registered, retired))
})

/**
 * Records a resolved target for the audit and returns it, or refuses.
 *
 * **Shape** the request's span gets the number of clusters. There is no span for this step: a failed span would export
 * the caller's input, which the refusal quotes.
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

/** Prints a target for the audit. */
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
 * Records the clusters that the current request's names resolve to, for the audit event that precedes a change.
 *
 * **Shape** records nothing if a name is out of scope or not registered: such a request is refused later.
 */
export const noteResolved = Effect.fnUntraced(function* (registered: ResolvedRequest.Registered) {
  const { target } = yield* RequestRecord.CurrentRequest
  const names = target.asked.split("|")
  if (!names.every(ClusterName.is)) return
  const { principal } = yield* ResolvedRequest.current
  const resolved = ResolvedRequest.inScope(ResolvedRequest.namedBy("target", names), principal.rule, registered)
  if (Result.isSuccess(resolved.target)) yield* note({ clusters: resolved.target.success.clusters })
})

/** Records, for the audit, the cluster whose registration a request changes. */
export const noteCluster = (name: ClusterName.ClusterName): Effect.Effect<void> =>
  note({ asked: name, clusters: [name] })

/** Records, for the audit, the namespaces that a request names. */
export const noteNamespaces = (namespaces: ReadonlyArray<string> | undefined): Effect.Effect<void> =>
  namespaces === undefined ? Effect.void : note({ namespaces })

/** Records, for the audit, the object of a request that is not a cluster, such as a key. */
export const noteObject = (object: string): Effect.Effect<void> => note({ object })

/** Records, for the audit, how many descendant keys were revoked with the key in the path. */
export const noteDescendants = (descendants: number): Effect.Effect<void> => note({ descendants })

/** Records the target that path or body names, for the audit of a request that is refused before it is resolved. */
export const noteNamed = (target: RequestRecord.RequestRecord["target"] | undefined): Effect.Effect<void> =>
  target === undefined ? Effect.void : write({ target })

const write = RequestRecord.writer("target")

const note = (about: Partial<RequestRecord.RequestRecord["target"]>): Effect.Effect<void> =>
  Effect.flatMap(RequestRecord.CurrentRequest, ({ target }) => write({ target: { ...target, ...about } }))

/** Refuses a target. Suggests only cluster names in the caller's scope. */
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
