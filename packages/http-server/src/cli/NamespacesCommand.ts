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
import * as ListFlags from "./ListFlags.ts"
import * as MergedList from "./MergedList.ts"
import { listFlag } from "./OutputFlag.ts"
import * as Pages from "./Pages.ts"
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
    const read = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, NamespaceList, {
          method: "GET",
          path: "/api/v1/namespaces",
          query: [...ListFlags.queryOf(filters), ...page],
          headers: headersOf(connection, cluster),
          flags: ListFlags.flagOf
        }),
      (page) => page.namespaces
    )
    const columns = Columns.namespaces(yield* Clock.currentTimeMillis)
    yield* MergedList.print({ what: "namespaces", cluster, limit, output, columns }, read, (page) => page.namespaces)
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
