/**
 * `quarterdeck clusters`: the clusters in the key's scope, with their health.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as Findings from "./Findings.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "../print/OutputFlag.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"
import { headersOf, targetFlag } from "../request/TargetFlag.ts"

export const clustersCommand = Command.make(
  "clusters",
  {
    cluster: targetFlag,
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("clusters")(function* ({ cluster, limit, output, url, ...filters }) {
    const connection = yield* Connection.read(url)
    const { pages, rest } = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, ClusterList, {
          method: "GET",
          path: "/api/v1/clusters",
          query: [...ListFlags.queryOf(filters), ...page],
          headers: headersOf(connection, cluster)
        }),
      (page) => page.clusters
    )
    const clusters = pages.flatMap((page) => page.clusters)
    yield* Print.list(output, Columns.clusters(yield* Clock.currentTimeMillis), clusters, {
      clusters,
      partial: pages.some((page) => page.partial),
      ...(rest === undefined ? {} : { nextCursor: rest })
    })
    yield* ListFlags.noteRest(limit, rest)
    yield* Effect.forEach(CoverageNotes.lines(clusters.map(({ coverage }) => coverage)), Print.note)
    yield* Effect.forEach(Findings.ofSameClusters(clusters), ({ finding }) => Print.note(`warning: ${finding}`))
  })
).pipe(
  Command.withDescription(
    "List the clusters in the key's scope, with their health. The subcommands add and drop register and remove clusters."
  ),
  Command.withShortDescription("List clusters with their health; add and drop clusters"),
  Command.withExamples([
    { command: "quarterdeck clusters", description: "All clusters in the key's scope" },
    { command: "quarterdeck clusters --cluster 'prod|stage' -o json", description: "Two clusters, for a program" }
  ])
)
