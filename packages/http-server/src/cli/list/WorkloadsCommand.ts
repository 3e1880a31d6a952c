/**
 * `quarterdeck workloads`: lists or watches the workloads of one, several or all clusters.
 */
import { DEFAULT_LIMIT, WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import * as ListCommand from "./ListCommand.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "../print/OutputFlag.ts"
import { headersOf, targetFlag } from "../request/TargetFlag.ts"
import * as Follow from "./Follow.ts"
import { formatOf, watchFlag } from "./WatchFlag.ts"
import * as WatchPrinter from "./WatchPrinter.ts"

export const workloadsCommand = Command.make(
  "workloads",
  {
    cluster: targetFlag,
    ...ListFlags.namespaces,
    kind: ListFlags.kinds("kind"),
    status: ListFlags.workloadStatus,
    labelSelector: ListFlags.labelSelector,
    name: ListFlags.name,
    sort: Flag.Literals("sort", WorkloadSort.literals).pipe(
      Flag.withDescription(`Sort key: ${WorkloadSort.literals.join(", ")}`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.givenLimit,
    consistency: ListFlags.consistency,
    watch: watchFlag,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("workloads")(function* (given) {
    const { allNamespaces, cluster, consistency, limit, namespace, order, output, sort, url, watch, ...narrowing } =
      given
    const namespaces = yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    const filters = { ...narrowing, namespace: namespaces }
    if (watch) {
      const format = yield* formatOf(output, { sort, order, limit, consistency })
      const connection = yield* Connection.read(url)
      const call = {
        method: "GET",
        path: "/api/v1/workloads/watch",
        query: ListFlags.queryOf(filters),
        headers: headersOf(connection, cluster),
        flags: ListFlags.flagOf
      } as const
      return yield* Follow.run(connection, call, WatchPrinter.make(format))
    }
    yield* ListCommand.run(
      {
        what: "workloads",
        schema: WorkloadList,
        flags: ListFlags.flagOf,
        rowsOf: (page) => page.workloads,
        columns: Columns.workloads
      },
      {
        cluster,
        limit: Option.getOrElse(limit, () => DEFAULT_LIMIT),
        output,
        url,
        filters: { ...filters, sort, order, consistency }
      }
    )
  })
).pipe(
  Command.withDescription("List the workloads of one, several or all clusters, or watch them with --watch."),
  Command.withShortDescription("List the workloads of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck workloads", description: "Workloads of the parent cluster" },
    { command: "quarterdeck workloads -n shop --kind deploy,sts -o wide", description: "Kinds as kubectl names them" },
    { command: "quarterdeck workloads --cluster '*' --kind Deployment --sort cpuRequestMillis --order desc" },
    {
      command: "quarterdeck workloads --cluster '*' --status failed,degraded --sort status",
      description: "Workloads that need attention, the worst first"
    },
    { command: "quarterdeck workloads --cluster 'prod|stage' --namespace web,api --consistency live" },
    {
      command: "quarterdeck workloads --cluster '*' -n shop --watch",
      description: "The list, then each change until Ctrl-C"
    },
    {
      command: "quarterdeck workloads --cluster '*' --limit 100000 -o csv > workloads.csv",
      description: "For a spreadsheet"
    }
  ])
)
