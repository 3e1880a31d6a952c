/**
 * `POST /api/v1/accessReviews`: evaluates whether a request would be authorized, without running it.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Events } from "@quarterdeck/cluster-fanout/Events"
import { Pods } from "@quarterdeck/cluster-fanout/Pods"
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { type AccessReview, AccessReviewRequest, type ReviewedResource } from "@quarterdeck/contract/AccessReviewsGroup"
import { Api } from "@quarterdeck/contract/Api"
import type { Cell } from "@quarterdeck/contract/Policy"
import type { Code, Problem } from "@quarterdeck/contract/Problem"
import { CostReport } from "@quarterdeck/cost/CostReport"
import * as Access from "@quarterdeck/keys/Access"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as CostRefusal from "../refusal/CostRefusal.ts"
import * as CostViews from "../costs/CostViews.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as Endpoints from "../request/Endpoints.ts"
import * as ResolvedRequest from "../guard/ResolvedRequest.ts"
import { Deadlines } from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as RequestRange from "../costs/RequestRange.ts"
import * as RequestRecord from "../request/RequestRecord.ts"

type Caller = Principal["Service"]

/**
 * The target parameters that requests on a resource accept.
 *
 * **Shape** `cluster` is the default target; `none` means that the cluster header is not read. `namespace` is true if the
 * resource accepts a namespace.
 */
interface Naming {
  readonly cluster: "parent" | "all" | "none"
  readonly namespace: boolean
}

const inCluster: Naming = { cluster: "parent", namespace: true }
const ofService: Naming = { cluster: "none", namespace: false }

const NAMING: Readonly<Record<ReviewedResource, Naming>> = {
  clusters: { cluster: "all", namespace: false },
  namespaces: { cluster: "parent", namespace: false },
  workloads: inCluster,
  pods: inCluster,
  events: inCluster,
  logs: inCluster,
  cost: inCluster,
  prices: ofService,
  apiKeys: ofService,
  audit: ofService,
  overview: { cluster: "parent", namespace: false }
}

/** Returns the target parameters of a resource. A registration names a new cluster, so the header is not read. */
const namingOf = ({ resource, verb }: AccessReviewRequest): Naming =>
  resource === "clusters" && verb === "create" ? ofService : NAMING[resource]

const cellOf = ({ resource, verb }: AccessReviewRequest): Cell => ({
  resource: resource === "logs" ? "podLogs" : resource,
  verb
})

const policies = Endpoints.all.flatMap(({ policy }) => (typeof policy === "object" ? [policy] : []))

/** Finds the policy of the route for a resource and verb, if there is one. */
const routeOf = (cell: Cell): Cell | undefined => {
  const isIt = ({ resource, verb }: Cell) => resource === cell.resource && verb === cell.verb
  return policies.find(isIt) ?? policies.find(({ ofOthers }) => ofOthers !== undefined && isIt(ofOthers))
}

const ALLOWED: AccessReview = { allowed: true }
const refusedAs = (code: Code | "unsupported"): AccessReview => ({ allowed: false, code })

/** A request for one row, which shows whether a caller reaches a namespace. */
type Call = (caller: Caller, target: Target, namespace: string) => Effect.Effect<void, Problem>

/**
 * Decides a review as far as possible without a cluster, in the order of the real checks. Returns the target and the
 * namespace if only a cluster can decide.
 */
const decideHere = (
  { rule }: Caller,
  request: AccessReviewRequest,
  registered: ResolvedRequest.Registered
): AccessReview | { readonly target: Target; readonly namespace: string } => {
  const { cluster, namespace } = request
  const cell = cellOf(request)
  const route = routeOf(cell)
  if (route === undefined) return refusedAs("unsupported")
  const decide = ({ resource, verb }: Cell) => Access.decide(rule, resource, verb)
  // Every caller may use some routes for its own key, but needs a further permission for keys of others.
  for (const decision of [decide(route), decide(cell)]) if (decision !== "allowed") return refusedAs(decision)
  const naming = namingOf(request)
  if (namespace !== undefined && !naming.namespace) return refusedAs("unknown_parameter")
  if (naming.cluster === "none") return ALLOWED
  const unnamed = naming.cluster === "all" ? TargetRequest.all : TargetRequest.parent
  const asked = cluster === undefined ? unnamed : TargetRequest.named([cluster])
  const { target } = ResolvedRequest.inScope({ request: asked, field: "cluster" }, rule, registered)
  if (Result.isFailure(target)) return refusedAs(CODES[target.failure.error._tag])
  if (namespace === undefined) return ALLOWED
  const filter = Rule.namespaceFilter(rule)
  if (NamespaceFilter.needsLabels(filter)) return { target: target.success, namespace }
  return NamespaceFilter.matches(filter, namespace, undefined) ? ALLOWED : refusedAs("namespace_forbidden")
}

const CODES = {
  ClusterForbidden: "cluster_forbidden",
  ClusterNotFound: "cluster_not_found",
  InvalidTarget: "invalid_target",
  EmptyClusterList: "empty_cluster_list"
} as const satisfies Record<string, Code>

/**
 * Makes the function that evaluates a review.
 *
 * **Shape** if the rule selects namespaces by label, the review runs a real request for one row. A failing cluster then
 * yields the problem code of that request.
 *
 * **Limits** no I/O, except for a named namespace and a rule with labels: a list of one row.
 */
const makeReview = Effect.gen(function* () {
  const registry = yield* ClusterRegistry
  const workloads = yield* Workloads
  const pods = yield* Pods
  const events = yield* Events
  const report = yield* CostReport
  const rangeOf = yield* RequestRange.make
  const viewsOf = yield* CostViews.make
  const { timeoutMs } = yield* Deadlines

  const oneRow = (principal: Caller, target: Target, namespace: string) => ({
    ...ListQuestion.within({ principal, target }),
    filter: { namespace: [namespace] },
    page: { sort: "name", order: "asc", limit: 1, consistency: "cache", timeoutMs } as const
  })
  const listWorkloads: Call = (caller, target, namespace) =>
    workloads.list(oneRow(caller, target, namespace)).pipe(Effect.catch(ListRefusal.fromError), Effect.asVoid)
  const listPods: Call = (caller, target, namespace) =>
    pods.list(oneRow(caller, target, namespace)).pipe(Effect.catch(ListRefusal.fromError), Effect.asVoid)

  const listEvents: Call = (caller, target, namespace) => {
    const { page, ...query } = oneRow(caller, target, namespace)
    return events
      .list({ ...query, page: { ...page, sort: "namespace" } })
      .pipe(Effect.catch(ListRefusal.fromError), Effect.asVoid)
  }

  const costsOfOne = Effect.fnUntraced(function* ({ keyId, rule }: Caller, target: Target, namespace: string) {
    const namespaces = Rule.namespaceFilter(rule)
    const view = yield* viewsOf(target, namespaces, new Map())
    yield* report
      .getWorkloads({
        target,
        namespaces,
        view,
        cursorBinding: keyId,
        filter: { namespaces: [namespace] },
        range: yield* rangeOf({ range: "1h" }),
        page: { limit: 1 }
      })
      .pipe(Effect.catch(CostRefusal.fromReport("body")))
  })

  const callOf = (resource: ReviewedResource): Call => {
    if (resource === "cost") return costsOfOne
    if (resource === "events") return listEvents
    return resource === "pods" ? listPods : listWorkloads
  }

  return Effect.fn("AccessReview.review")(function* (caller: Caller, request: AccessReviewRequest) {
    const decided = decideHere(caller, request, yield* registry.snapshot)
    if ("allowed" in decided) return decided
    const { namespace, target } = decided
    const call = callOf(request.resource)
    const asked: Effect.Effect<AccessReview> = call(caller, target, namespace).pipe(
      Effect.match({ onFailure: ({ code }) => refusedAs(code), onSuccess: () => ALLOWED }),
      // A refusal of the inner request is a successful review, so the log must not record a refusal.
      RequestRecord.withoutNotes
    )
    return yield* asked
  })
})

export const AccessReviewHandlers = HttpApiBuilder.group(
  Api,
  "accessReviews",
  Effect.fn(function* (handlers) {
    const review = yield* makeReview
    return handlers.handleRaw(
      "create",
      Effect.fnUntraced(function* () {
        const { principal } = yield* ResolvedRequest.current
        return yield* review(principal, yield* RequestBody.decode(AccessReviewRequest))
      })
    )
  })
)
