/**
 * `quarterdeck pods`: the pods of one, several or all clusters.
 */
import { PodSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { PodList } from "@quarterdeck/contract/PodsGroup"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../request/Connection.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as ListCommand from "./ListCommand.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "../print/OutputFlag.ts"
import * as PodColumns from "../print/PodColumns.ts"
import { targetFlag } from "../request/TargetFlag.ts"

/** The flag of each query parameter. */
const flagOf = { ...ListFlags.flagOf, workload: "--workload", node: "--node" }

export const podsCommand = Command.make(
  "pods",
  {
    cluster: targetFlag,
    ...ListFlags.namespaces,
    workload: Flag.String("workload").pipe(
      Flag.withDescription("Only pods of one workload, as kubectl names it: deploy/web"),
      Flag.map(KindNames.pathOf),
      Flag.optional
    ),
    node: ListFlags.several("node", "Only pods on these nodes, joined by commas"),
    status: ListFlags.several("status", "Statuses, joined by commas: Running,CrashLoopBackOff"),
    labelSelector: ListFlags.labelSelector,
    name: ListFlags.name,
    sort: Flag.Literals("sort", PodSort.literals).pipe(
      Flag.withDescription(`Sort key: ${PodSort.literals.join(", ")}`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("pods")(function* ({ allNamespaces, cluster, limit, namespace, output, url, ...filters }) {
    const namespaces = yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    yield* ListCommand.run(
      { what: "pods", schema: PodList, flags: flagOf, rowsOf: (page) => page.pods, columns: PodColumns.make },
      { cluster, limit, output, url, filters: { ...filters, namespace: namespaces } }
    )
  })
).pipe(
  Command.withDescription("List the pods of one, several or all clusters."),
  Command.withShortDescription("List the pods of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck pods -n shop", description: "Pods of one namespace of the parent cluster" },
    { command: "quarterdeck pods -n shop --workload deploy/web -o wide", description: "Pods of one workload" },
    { command: "quarterdeck pods --cluster '*' --status CrashLoopBackOff,ImagePullBackOff,Error" },
    { command: "quarterdeck pods --cluster '*' --sort restarts --order desc --limit 20" },
    { command: "quarterdeck pods --cluster prod --node node-7 -o csv", description: "For a spreadsheet" }
  ])
)
