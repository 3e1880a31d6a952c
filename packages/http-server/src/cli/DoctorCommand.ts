/**
 * `quarterdeck doctor`: finds problems of a server and its clusters, with their remedies.
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

/** Limit of the rows to read: more clusters than any server has. */
const MAX_CLUSTERS = 100_000

/** Error replies whose bodies the command reads too: 503 if the server is not ready, 502 if no cluster answered. */
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
      // A refused key fails here with its own reason.
      yield* ApiClient.run(connection, { method: "GET", path: "/api/v1/whoami" })
      return yield* failed("doctor needs an Admin key without a scope; quarterdeck whoami shows the current key")
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
    "List problems of a server and its clusters, each with its remedy. Checks clusters that do not answer, refused credentials, kinds that cannot be read, cluster names that collide, clusters registered under several names, keys files, the identity provider, missing usage, accelerators without a price, and hours that are not backfilled. Needs an Admin key without a scope. Exit status 0 without a problem, 1 with one."
  ),
  Command.withShortDescription("List problems of a server and its clusters, with their remedies"),
  Command.withExamples([
    { command: "quarterdeck doctor" },
    { command: "quarterdeck doctor -o json", description: "JSON for a program; the exit status shows success" }
  ])
)

/** Lists all clusters with live reads. */
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

/** Reads the coverage of workloads and of namespaces in every cluster. */
const readKinds = Effect.fnUntraced(function* (connection: Connection.Connection) {
  const headers = { [connection.clusterHeader]: "*" }
  const request = { method: "GET", query: [["limit", "1"]], headers, accepts: NONE_ANSWERED } as const
  const workloads = yield* ApiClient.call(connection, Answered, { ...request, path: "/api/v1/workloads" })
  const namespaces = yield* ApiClient.call(connection, Answered, { ...request, path: "/api/v1/namespaces" })
  const coverages: ReadonlyArray<Coverage> = [...workloads.clusters, ...namespaces.clusters]
  return coverages
})
