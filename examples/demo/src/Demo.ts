/**
 * Runs the demo: three clusters, a server in front of them, a key for each role, and example calls with their
 * responses.
 */
import { hourOf } from "@quarterdeck/cost/Units"
import { Seed } from "@quarterdeck/harness"
import * as Columns from "@quarterdeck/http-server/cli/Columns"
import * as Output from "@quarterdeck/http-server/cli/Output"
import * as Listener from "@quarterdeck/http-server/Listener"
import { Quarterdeck } from "@quarterdeck/http-server"
import { Clock, Config, Console, Context, Effect, FileSystem, Layer, Path } from "effect"
import { type Arguments, Port } from "./Arguments.ts"
import * as CostColumns from "./CostColumns.ts"
import { DemoClient, DemoFailed } from "./DemoClient.ts"
import * as Operating from "./Operating.ts"
import * as Page from "./Page.ts"
import * as PastCosts from "./PastCosts.ts"
import * as Pasts from "./Pasts.ts"
import * as StoryClusters from "./StoryClusters.ts"

const portOfEnvironment = Config.schema(Port, "QUARTERDECK_PORT").pipe(
  Config.withDefault(8080),
  Effect.mapError(() => new DemoFailed({ problem: "QUARTERDECK_PORT must be a whole number from 0 to 65535" }))
)
/** Maximum number of rows of each table. */
const ROWS = 5
const COST_ROWS = 8

const COSTS = {
  title: "What did the workloads of all clusters cost in seven days? The most expensive first",
  path: `/detailedCostReport/getWorkloads?range=7d&limit=${COST_ROWS}`,
  body: { multiCluster: true }
}
const GROUPS = {
  title: "What did each namespace cost, and what was idle?",
  path: "/detailedCostReport/getAggregated?range=7d",
  body: { multiCluster: true, groupBy: ["namespace"], idle: "show" }
}
const TEAMS = {
  title: "What did each team cost? Teams are a label of workloads",
  path: "/detailedCostReport/getAggregated?range=7d",
  body: { multiCluster: true, groupBy: ["label:team"] }
}

/** Starts the demo, makes the example calls and prints the results. Closing the scope stops it. */
export const show = Effect.fnUntraced(function* ({ once, port: givenPort }: Arguments) {
  const startedAt = yield* Clock.currentTimeMillis
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const port = givenPort ?? (yield* portOfEnvironment)

  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-demo-" })
  const dataDirectory = path.join(directory, "data")
  const plans = yield* Effect.forEach(StoryClusters.NAMES, (cluster, index) =>
    Seed.plan({ ...StoryClusters.SEEDED, cluster, index })
  )
  const [fleet] = yield* Effect.all(
    [StoryClusters.start(plans), writeHistory(plans, dataDirectory, hourOf(startedAt))],
    {
      concurrency: "unbounded"
    }
  )
  const kubeconfig = path.join(directory, "kubeconfig.yaml")
  const firstKey = path.join(directory, "first.key")
  yield* files.writeFileString(kubeconfig, fleet.kubeconfig, { mode: 0o600 })

  const services = yield* Layer.build(
    Quarterdeck.layer({
      // Every cluster is on this machine, and registering loopback addresses must work too.
      clusters: { kubeconfig: [kubeconfig], allowLoopback: true },
      keys: { bootstrapFile: firstKey },
      dataDirectory
    })
  )
  const { url } = yield* Listener.listen(Context.get(services, Quarterdeck).nodeHandler, {
    host: "127.0.0.1",
    port,
    shutdownMs: 2_000
  })

  const admin = (yield* files.readFileString(firstKey)).trim()
  const client = DemoClient.make(url)
  yield* client.ready
  const operator = yield* client.createKey(admin, "demo operator", { role: "Operator" })
  const viewer = yield* client.createKey(admin, "demo viewer", { role: "Viewer" })
  const shopViewer = yield* client.createKey(admin, "shop in prod", {
    role: "Viewer",
    targetClusters: ["prod"],
    targetNamespaces: [{ namespaceNames: ["shop"] }]
  })

  const readyMs = (yield* Clock.currentTimeMillis) - startedAt
  yield* Console.log(
    Page.heading(
      url,
      fleet.clusters.map(({ name }) => name),
      readyMs
    )
  )
  yield* Console.log(
    Page.keys(
      [
        ["ADMIN", "Admin", "everything", admin],
        ["OPERATOR", "Operator", "everything", operator],
        ["VIEWER", "Viewer", "everything", viewer],
        ["SHOP", "Viewer", "namespace shop of cluster prod", shopViewer]
      ],
      once
    )
  )

  if (!once) {
    const { pods } = yield* client.pods(viewer, "hub", "namespace=shop&name=assistant")
    yield* Console.log(Page.commandLine(url, admin, dataDirectory, pods[0]?.name ?? "assistant"))
  }

  yield* showInventory({ client, url, viewer, shopViewer })
  yield* Operating.show({ client, url, operator, viewer })
  yield* showCosts({ client, url, viewer })
  yield* Console.log(Page.more(url))
})

/** The client, the server's URL and the viewer's key. */
interface Caller {
  readonly client: ReturnType<typeof DemoClient.make>
  readonly url: string
  readonly viewer: string
}

/** Lists clusters and workloads, with keys of different scope. */
const showInventory = Effect.fnUntraced(function* ({
  client,
  shopViewer,
  url,
  viewer
}: Caller & { readonly shopViewer: string }) {
  const clusters = yield* client.clusters(viewer)
  yield* Console.log(
    Page.answer({
      title: "Which clusters are there?",
      curl: Page.curl(url, "VIEWER", "/api/v1/clusters"),
      table: Output.table(Columns.clusters(yield* Clock.currentTimeMillis).table, clusters.clusters),
      notes: []
    })
  )
  const questions = [
    { title: "What runs in one cluster?", key: "VIEWER", secret: viewer, target: "prod" },
    { title: "What runs in two clusters?", key: "VIEWER", secret: viewer, target: "prod|stage" },
    { title: "What runs in all of them?", key: "VIEWER", secret: viewer, target: "*" },
    {
      title: "The same call with a key for one namespace of one cluster",
      key: "SHOP",
      secret: shopViewer,
      target: "*"
    }
  ]
  for (const { key, secret, target, title } of questions) {
    const { clusters, nextCursor, workloads } = yield* client.workloads(secret, target, `limit=${ROWS}`)
    yield* Console.log(
      Page.answer({
        title,
        curl: Page.curl(url, key, `/api/v1/workloads?limit=${ROWS}`, target),
        table: Output.table(Columns.workloads(yield* Clock.currentTimeMillis).table, workloads),
        notes: Page.coverage(clusters, nextCursor === undefined ? undefined : workloads.length)
      })
    )
  }
})

/** Prints the cost reports. */
const showCosts = Effect.fnUntraced(function* ({ client, url, viewer }: Caller) {
  const costs = yield* client.costs(viewer, COSTS.path, COSTS.body)
  yield* Console.log(
    Page.answer({
      title: COSTS.title,
      curl: Page.curlOfBody(url, "VIEWER", COSTS.path, COSTS.body),
      table: Output.table(CostColumns.workloads, costs.aggregatedWorkloads),
      notes: Page.costCoverage(costs.clusters, costs.totals, costs.currency)
    })
  )
  const groupings = [
    [GROUPS, CostColumns.namespaces],
    [TEAMS, CostColumns.teams]
  ] as const
  for (const [{ body, path, title }, columns] of groupings) {
    const groups = yield* client.costGroups(viewer, path, body)
    yield* Console.log(
      Page.answer({
        title,
        curl: Page.curlOfBody(url, "VIEWER", path, body),
        table: Output.table(columns, "rows" in groups ? groups.rows : []),
        notes: []
      })
    )
  }
})

/** Writes the clusters' cost history. */
const writeHistory = (plans: ReadonlyArray<Seed.ClusterPlan>, directory: string, nowMs: number) =>
  PastCosts.write(
    plans.map((plan) => Pasts.from(plan, nowMs)),
    nowMs
  ).pipe(Effect.provide(PastCosts.layer(directory)))
