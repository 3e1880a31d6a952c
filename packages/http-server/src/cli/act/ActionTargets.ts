/**
 * The workloads that an action changes: one by its name, or many in one, several or all clusters.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { type WorkloadRow, WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Effect, Option, Schema } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { failed, misused } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"
import { headersOf, targetFlag } from "../request/TargetFlag.ts"
import * as WorkloadName from "../look/WorkloadName.ts"

/** Maximum number of matching workloads. A user would not review more before a change. */
const MAX_MATCHES = 5_000

export const flags = {
  workload: Argument.String("workload").pipe(
    Argument.withDescription(
      "Kind and name as in kubectl: deployment/web, sts/db; with --label-selector only kinds: deployment, deploy,sts"
    ),
    Argument.filter(
      (text) => /^[^/,]+\/[^/]+$|^[^/,]+(?:,[^/,]+)*$/.test(text),
      () => "a kind and a name, such as deployment/web, or with --label-selector kinds, such as deploy,sts"
    )
  ),
  allNamespaces: Flag.Boolean("all-namespaces").pipe(
    Flag.withAlias("A"),
    Flag.withDescription("With --label-selector: all namespaces in the key's scope"),
    Flag.withDefault(false)
  ),
  namespace: ListFlags.several("namespace", "Namespaces, joined by commas; default: the namespace default").pipe(
    Flag.withAlias("n")
  ),
  labelSelector: ListFlags.labelSelector,
  status: Flag.withDescription(
    ListFlags.workloadStatus,
    `With --label-selector: only workloads with these statuses, joined by commas: ${WorkloadStatus.literals.join(", ")}`
  ),
  cluster: targetFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

/** Several workloads, selected by query parameters of the list of workloads. */
export interface Many {
  readonly _tag: "Many"
  readonly cluster: Option.Option<string>
  readonly query: ReadonlyArray<readonly [string, string]>
  /** Name of the workloads; undefined if labels select them. */
  readonly name: string | undefined
}

export type Targets = { readonly _tag: "One"; readonly workload: WorkloadName.WorkloadName } | Many

const isClusterName = Schema.is(ClusterName.ClusterName)

/**
 * Reads the targets of an action.
 *
 * **Shape** one workload if a name, one namespace and at most one cluster are given.
 *
 * **Errors** `CommandFailure` with exit code 2 for flags that exclude each other, and the errors of
 * `WorkloadName.read`.
 */
export const read = Effect.fnUntraced(function* (connection: Connection, given: Flags) {
  const { cluster, labelSelector, workload } = given
  const [kinds = "", name] = workload.split("/")
  if (name === undefined && Option.isNone(labelSelector)) {
    return yield* misused(
      "workload must be a kind and a name, such as deployment/web; a kind alone needs --label-selector"
    )
  }
  if (name !== undefined && Option.isSome(labelSelector)) {
    return yield* misused("--label-selector needs a kind without a name, such as deployment")
  }
  if (name !== undefined && Option.isSome(given.status)) {
    return yield* misused("--status needs --label-selector and no name")
  }
  if (name !== undefined && given.allNamespaces) {
    return yield* misused("--all-namespaces needs --label-selector and no name")
  }
  const chosen = Option.getOrElse(yield* ListFlags.namespacesOf(given), () => ["default"])
  const namespaces = given.allNamespaces ? [] : chosen
  const [namespace = ""] = namespaces
  const single = Option.filter(cluster, isClusterName)
  if (name !== undefined && namespaces.length === 1 && Option.isSome(single) === Option.isSome(cluster)) {
    const named = yield* WorkloadName.read(connection, { cluster: single, namespace, workload })
    return { _tag: "One", workload: named } satisfies Targets
  }
  const kind = Option.some(kinds.split(",").map(KindNames.parse))
  const query = ListFlags.queryOf({
    kind,
    namespace: Option.some(namespaces),
    labelSelector,
    status: given.status,
    name: Option.fromUndefinedOr(name)
  })
  return { _tag: "Many", cluster, query, name } satisfies Targets
})

/** Matching workloads. **Shape** `missing` are the clusters that did not answer. */
export interface Found {
  readonly rows: ReadonlyArray<WorkloadRow>
  readonly missing: ReadonlyArray<Coverage>
}

/**
 * Finds the workloads in the server's list, and warns about clusters whose rows are missing.
 *
 * **Errors** `CommandFailure` for no match, and for more than 5,000.
 */
export const find = Effect.fnUntraced(function* (connection: Connection, { cluster, name, query }: Many) {
  const { pages, rest } = yield* Pages.read(
    MAX_MATCHES,
    (ofPage) =>
      ApiClient.call(connection, WorkloadList, {
        method: "GET",
        path: "/api/v1/workloads",
        query: [...query, ...ofPage],
        headers: headersOf(connection, cluster),
        flags: { ...ListFlags.flagOf, kind: "workload", name: "workload" }
      }),
    ({ workloads }) => workloads
  )
  const clusters = CoverageNotes.worstOf(pages.map((page) => page.clusters))
  const rows = pages.flatMap(({ workloads }) => workloads).filter((row) => name === undefined || row.name === name)
  if (rest !== undefined) return yield* failed(`more than ${MAX_MATCHES} workloads match: narrow the selection`)
  const namespaces = query.flatMap(([parameter, value]) => (parameter === "namespace" ? [value] : []))
  const hint =
    namespaces.length === 0
      ? ""
      : `; searched namespace ${namespaces.join(", ")}: --namespace and --all-namespaces search others`
  if (rows.length === 0) {
    return yield* failed(
      `${CoverageNotes.nothingFound("workloads", clusters, cluster)}${hint}`,
      ...CoverageNotes.lines(clusters)
    )
  }
  yield* Effect.forEach(CoverageNotes.lines(clusters), Print.note)
  return { rows, missing: clusters.filter((coverage) => !answered(coverage)) } satisfies Found
})
