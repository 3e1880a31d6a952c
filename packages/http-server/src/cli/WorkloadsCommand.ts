/**
 * `quarterdeck workloads`: the workloads of one, several or all clusters.
 */
import { WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Columns from "./Columns.ts"
import * as Connection from "./Connection.ts"
import * as ListCommand from "./ListCommand.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "./OutputFlag.ts"
import { targetFlag } from "./TargetFlag.ts"

export const workloadsCommand = Command.make(
  "workloads",
  {
    cluster: targetFlag,
    ...ListFlags.namespaces,
    kind: ListFlags.kinds("kind"),
    labelSelector: ListFlags.labelSelector,
    name: ListFlags.name,
    sort: Flag.Literals("sort", WorkloadSort.literals).pipe(
      Flag.withDescription(`Sort key: ${WorkloadSort.literals.join(", ")}`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("workloads")(function* ({ allNamespaces, cluster, limit, namespace, output, url, ...filters }) {
    const namespaces = yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    yield* ListCommand.run(
      {
        what: "workloads",
        schema: WorkloadList,
        flags: ListFlags.flagOf,
        rowsOf: (page) => page.workloads,
        columns: Columns.workloads
      },
      { cluster, limit, output, url, filters: { ...filters, namespace: namespaces } }
    )
  })
).pipe(
  Command.withDescription("List the workloads of one, several or all clusters."),
  Command.withShortDescription("List the workloads of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck workloads", description: "Those of the parent cluster" },
    { command: "quarterdeck workloads -n shop --kind deploy,sts -o wide", description: "In kubectl's words" },
    { command: "quarterdeck workloads --cluster '*' --kind Deployment --sort cpuRequestMillis --order desc" },
    { command: "quarterdeck workloads --cluster 'prod|stage' --namespace web,api --consistency live" },
    {
      command: "quarterdeck workloads --cluster '*' --limit 100000 -o csv > workloads.csv",
      description: "For a spreadsheet"
    }
  ])
)
