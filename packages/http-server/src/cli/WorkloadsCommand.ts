/**
 * `quarterdeck workloads`: the workloads of one, several or all clusters.
 */
import { WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
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
    const connection = yield* Connection.read(url)
    const query = ListFlags.queryOf({
      ...filters,
      namespace: yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    })
    const read = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, WorkloadList, {
          method: "GET",
          path: "/api/v1/workloads",
          query: [...query, ...page],
          headers: headersOf(connection, cluster),
          flags: ListFlags.flagOf
        }),
      (page) => page.workloads
    )
    const columns = Columns.workloads(yield* Clock.currentTimeMillis)
    yield* MergedList.print({ what: "workloads", cluster, limit, output, columns }, read, (page) => page.workloads)
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
