/**
 * `quarterdeck namespaces`: the namespaces of one, several or all clusters.
 */
import { NamespaceSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as ApiClient from "./ApiClient.ts"
import * as Columns from "./Columns.ts"
import * as Connection from "./Connection.ts"
import * as CoverageNotes from "./CoverageNotes.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "./OutputFlag.ts"
import * as Pages from "./Pages.ts"
import * as Print from "./Print.ts"
import { headersOf, targetFlag } from "./TargetFlag.ts"

export const namespacesCommand = Command.make(
  "namespaces",
  {
    cluster: targetFlag,
    labelSelector: ListFlags.labelSelector,
    name: ListFlags.name,
    sort: Flag.Literals("sort", NamespaceSort.literals).pipe(
      Flag.withDescription(`Sort key: ${NamespaceSort.literals.join(", ")}`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("namespaces")(function* ({ cluster, limit, output, url, ...filters }) {
    const connection = yield* Connection.read(url)
    const { pages, rest } = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, NamespaceList, {
          method: "GET",
          path: "/api/v1/namespaces",
          query: [...ListFlags.queryOf(filters), ...page],
          headers: headersOf(connection, cluster)
        }),
      (page) => page.namespaces
    )
    const namespaces = pages.flatMap((page) => page.namespaces)
    const clusters = CoverageNotes.worstOf(pages.map((page) => page.clusters))
    yield* Print.list(output, Columns.namespaces(yield* Clock.currentTimeMillis), namespaces, {
      namespaces,
      clusters,
      partial: pages.some((page) => page.partial),
      ...(rest === undefined ? {} : { nextCursor: rest })
    })
    yield* ListFlags.noteRest(limit, rest)
    if (namespaces.length === 0) yield* Print.note(CoverageNotes.nothingFound("namespaces", clusters, cluster))
    yield* Effect.forEach(CoverageNotes.lines(clusters), Print.note)
  })
).pipe(
  Command.withDescription("List the namespaces that the key reaches, in one, several or all clusters."),
  Command.withShortDescription("List the namespaces of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck namespaces", description: "Those of the parent cluster" },
    { command: "quarterdeck namespaces --cluster '*' -l team=web", description: "A team's, wherever they are" },
    { command: "quarterdeck namespaces --cluster prod -o name", description: "One a line, for a script" }
  ])
)
