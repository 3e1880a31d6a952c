/**
 * Which workloads a command that changes them is about: one by its name, or many of one, several or all clusters.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
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

/** More than anybody changes by one command, and looks at before. */
const MAX_TARGETS = 5_000

export const flags = {
  workload: Argument.String("workload").pipe(
    Argument.withDescription(
      "Kind and name in kubectl's words: deployment/web, sts/db; with --label-selector kinds alone: deployment, deploy,sts"
    ),
    Argument.filter(
      (text) => /^[^/,]+\/[^/]+$|^[^/,]+(?:,[^/,]+)*$/.test(text),
      () => "a kind and a name, such as deployment/web, or with --label-selector kinds, such as deploy,sts"
    )
  ),
  allNamespaces: Flag.Boolean("all-namespaces").pipe(
    Flag.withAlias("A"),
    Flag.withDescription("With --label-selector: every namespace in the key's scope"),
    Flag.withDefault(false)
  ),
  namespace: ListFlags.several("namespace", "Namespace, or several joined by a comma; default when left out").pipe(
    Flag.withAlias("n")
  ),
  labelSelector: ListFlags.labelSelector,
  cluster: targetFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

/** Many workloads, as a list is asked for them. */
export interface Many {
  readonly _tag: "Many"
  readonly cluster: Option.Option<string>
  readonly query: ReadonlyArray<readonly [string, string]>
  /** The name that each has; without it those that the labels select. */
  readonly name: string | undefined
}

export type Targets = { readonly _tag: "One"; readonly workload: WorkloadName.WorkloadName } | Many

const isClusterName = Schema.is(ClusterName.ClusterName)

/**
 * Reads which workloads are meant.
 *
 * **Shape** one where a name, a namespace and at most one cluster are given.
 *
 * **Errors** `CommandFailure` with exit code 2 for words that do not go together, and as of `WorkloadName.read`.
 */
export const read = Effect.fnUntraced(function* (connection: Connection, given: Flags) {
  const { cluster, labelSelector, workload } = given
  const [kinds = "", name] = workload.split("/")
  if (name === undefined && Option.isNone(labelSelector)) {
    return yield* misused(
      "workload must be a kind and a name, such as deployment/web; a kind alone goes with --label-selector"
    )
  }
  if (name !== undefined && Option.isSome(labelSelector)) {
    return yield* misused("--label-selector chooses by labels: give a kind alone, such as deployment")
  }
  if (name !== undefined && given.allNamespaces) {
    return yield* misused("--all-namespaces goes with --label-selector: leave it out, or the name")
  }
  const chosen = Option.getOrElse(yield* ListFlags.namespacesOf(given), () => ["default"])
  const namespaces = given.allNamespaces ? [] : chosen
  const [namespace = ""] = namespaces
  const one = Option.filter(cluster, isClusterName)
  if (name !== undefined && namespaces.length === 1 && Option.isSome(one) === Option.isSome(cluster)) {
    const named = yield* WorkloadName.read(connection, { cluster: one, namespace, workload })
    return { _tag: "One", workload: named } satisfies Targets
  }
  const kind = Option.some(kinds.split(",").map(KindNames.parse))
  const query = ListFlags.queryOf({
    kind,
    namespace: Option.some(namespaces),
    labelSelector,
    name: Option.fromUndefinedOr(name)
  })
  return { _tag: "Many", cluster, query, name } satisfies Targets
})

/** What was found. **Shape** `missing` are clusters of which no workload is known. */
export interface Found {
  readonly rows: ReadonlyArray<WorkloadRow>
  readonly missing: ReadonlyArray<Coverage>
}

/**
 * Finds them in the service's lists, and warns of clusters that lack there.
 *
 * **Errors** `CommandFailure` where there are none, or more than 5,000.
 */
export const find = Effect.fnUntraced(function* (connection: Connection, { cluster, name, query }: Many) {
  const { pages, rest } = yield* Pages.read(
    MAX_TARGETS,
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
  if (rest !== undefined) return yield* failed(`more than ${MAX_TARGETS} workloads match: choose fewer`)
  const asked = query.flatMap(([parameter, value]) => (parameter === "namespace" ? [value] : []))
  const hint =
    asked.length === 0 ? "" : `; in namespace ${asked.join(", ")}: --namespace and --all-namespaces ask others`
  if (rows.length === 0) {
    return yield* failed(
      `${CoverageNotes.nothingFound("workloads", clusters, cluster)}${hint}`,
      ...CoverageNotes.lines(clusters)
    )
  }
  yield* Effect.forEach(CoverageNotes.lines(clusters), Print.note)
  return { rows, missing: clusters.filter((coverage) => !answered(coverage)) } satisfies Found
})
