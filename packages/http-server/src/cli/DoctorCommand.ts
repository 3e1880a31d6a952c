/**
 * `quarterdeck doctor`: what is wrong with a service and its clusters, and what mends it.
 */
import { answered, Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as ApiClient from "./request/ApiClient.ts"
import { failed } from "./print/CommandFailure.ts"
import * as Connection from "./request/Connection.ts"
import * as Findings from "./list/Findings.ts"
import type * as Output from "./print/Output.ts"
import { outputFlag } from "./print/OutputFlag.ts"
import * as Pages from "./request/Pages.ts"
import * as Print from "./print/Print.ts"

/** More clusters than one service has. */
const MAX_CLUSTERS = 100_000

/** Readiness is told with 503 too, and the clusters of a list of which none answered with 502. */
const NOT_READY = { status: 503, mediaType: "application/json" }
const NONE_ANSWERED = { status: 502, mediaType: "application/problem+json" }

const Answered = Schema.Struct({ clusters: Schema.Array(Coverage) })

const csv: ReadonlyArray<Output.Column<Findings.Finding>> = [
  { title: "check", cell: ({ check }) => check },
  { title: "cluster", cell: ({ cluster = "" }) => cluster },
  { title: "finding", cell: ({ finding }) => finding },
  { title: "remedy", cell: ({ remedy }) => remedy }
]
const columns = { csv, table: csv.map((column) => ({ ...column, title: column.title.toUpperCase() })) }

export const doctorCommand = Command.make(
  "doctor",
  { output: outputFlag, url: Connection.urlFlag },
  Effect.fn("doctor")(function* ({ output, url }) {
    const connection = yield* Connection.read(url)
    const readiness = yield* ApiClient.call(connection, Readiness, {
      method: "GET",
      path: "/readyz",
      accepts: NOT_READY
    })
    if (readiness.details === undefined) {
      // A key that is refused is told as such.
      yield* ApiClient.run(connection, { method: "GET", path: "/api/v1/whoami" })
      return yield* failed("doctor needs an Admin key without a scope; quarterdeck whoami shows the one that asks")
    }
    const clusters = yield* readClusters(connection)
    const coverages = clusters.some(({ coverage }) => coverage.status === "ok") ? yield* readKinds(connection) : []
    const silent = new Set(clusters.filter(({ coverage }) => !answered(coverage)).map(({ name }) => name))
    const findings = [
      ...Findings.ofChecks(readiness),
      ...Findings.ofDetails(readiness.details, silent),
      ...Findings.ofClusters(clusters),
      ...Findings.ofSizes(coverages),
      ...Findings.ofSameClusters(clusters),
      ...Findings.ofKinds([...clusters.map(({ coverage }) => coverage), ...coverages])
    ]
    if (output !== "table" || findings.length > 0) yield* Print.rows(output, columns, findings, { findings })
    if (findings.length > 0) return yield* failed(findings.length === 1 ? "1 finding" : `${findings.length} findings`)
    yield* Print.note(
      `${clusters.length === 1 ? "1 cluster" : `${clusters.length} clusters`} checked, nothing is wrong`
    )
  })
).pipe(
  Command.withDescription(
    "Ask a server for what is wrong: clusters that do not answer, credentials that they refuse, kinds that may not be read, names of clusters that collide, clusters that are registered under several names, keys files, an identity provider that does not answer, usage that does not come, accelerators that are not charged, and hours of the past that are not filled in. Each finding stands beside what mends it. Needs an Admin key without a scope. Exit status 0 when nothing is wrong, 1 when something is."
  ),
  Command.withShortDescription("Say what is wrong with a server and its clusters, and what mends it"),
  Command.withExamples([
    { command: "quarterdeck doctor" },
    { command: "quarterdeck doctor -o json", description: "For a program; the exit status says it too" }
  ])
)

/** Asks every cluster now. */
const readClusters = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const { pages } = yield* Pages.read(
    MAX_CLUSTERS,
    (page) =>
      ApiClient.call(connection, ClusterList, {
        method: "GET",
        path: "/api/v1/clusters",
        query: [["consistency", "live"], ...page]
      }),
    (page) => page.clusters
  )
  return pages.flatMap((page) => page.clusters)
})

/** Asks which kinds of workloads, and namespaces, the service sees of each cluster. */
const readKinds = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const headers = { [connection.clusterHeader]: "*" }
  const request = { method: "GET", query: [["limit", "1"]], headers, accepts: NONE_ANSWERED } as const
  const workloads = yield* ApiClient.call(connection, Answered, { ...request, path: "/api/v1/workloads" })
  const namespaces = yield* ApiClient.call(connection, Answered, { ...request, path: "/api/v1/namespaces" })
  const coverages: ReadonlyArray<Coverage> = [...workloads.clusters, ...namespaces.clusters]
  return coverages
})
