/**
 * `quarterdeck namespaces`: the namespaces of one, several or all clusters.
 */
import { NamespaceSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import * as ListCommand from "./ListCommand.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "../print/OutputFlag.ts"
import { targetFlag } from "../request/TargetFlag.ts"

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
    yield* ListCommand.run(
      {
        what: "namespaces",
        schema: NamespaceList,
        flags: ListFlags.flagOf,
        rowsOf: (page) => page.namespaces,
        columns: Columns.namespaces
      },
      { cluster, limit, output, url, filters }
    )
  })
).pipe(
  Command.withDescription("List the namespaces in the key's scope, in one, several or all clusters."),
  Command.withShortDescription("List the namespaces of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck namespaces", description: "Namespaces of the parent cluster" },
    {
      command: "quarterdeck namespaces --cluster '*' -l team=web",
      description: "Namespaces of one team in every cluster"
    },
    { command: "quarterdeck namespaces --cluster prod -o name", description: "One name per line, for a script" }
  ])
)
