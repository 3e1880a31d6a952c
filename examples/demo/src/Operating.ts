/** Scales a workload with an Operator's key: a dry run, the change, and the list that shows it. */
import type { ActionResult } from "@quarterdeck/contract/WorkloadGroup"
import * as Columns from "@quarterdeck/http-server/cli/Columns"
import * as Output from "@quarterdeck/http-server/cli/Output"
import { Clock, Console, Effect, Schedule } from "effect"
import type { DemoClient } from "./DemoClient.ts"
import * as Page from "./Page.ts"

interface Caller {
  readonly client: ReturnType<typeof DemoClient.make>
  readonly url: string
  readonly operator: string
  readonly viewer: string
}

const PATH = "/api/v1/workloads/hub/shop/Deployment/assistant/scale"
const REPLICAS = 3

const textOf = ({ replicas }: ActionResult["before"]): string => `${replicas ?? "-"} replicas`

const COLUMNS = [
  { title: "CLUSTER", cell: (row: ActionResult) => row.cluster },
  { title: "NAMESPACE", cell: (row: ActionResult) => row.namespace },
  { title: "NAME", cell: (row: ActionResult) => row.name },
  { title: "STATUS", cell: (row: ActionResult) => row.status },
  { title: "BEFORE", cell: (row: ActionResult) => textOf(row.before) },
  { title: "AFTER", cell: (row: ActionResult) => textOf(row.after) }
]

export const show = Effect.fnUntraced(function* ({ client, operator, url, viewer }: Caller) {
  const steps = [
    {
      title: "What would scaling a workload change? A dry run with an Operator's key",
      body: { replicas: REPLICAS, dryRun: true }
    },
    { title: "Now the change", body: { replicas: REPLICAS } }
  ]
  for (const { body, title } of steps) {
    const result = yield* client.act(operator, PATH, body)
    yield* Console.log(
      Page.answer({
        title,
        curl: Page.curlOfBody(url, "OPERATOR", PATH, body),
        table: Output.table(COLUMNS, [result]),
        notes: []
      })
    )
  }
  const query = "namespace=shop&name=assistant"
  const { clusters, workloads } = yield* client.workloads(viewer, "hub", query).pipe(
    Effect.repeat({
      until: (list) => list.workloads.some(({ replicas }) => replicas.ready === REPLICAS),
      schedule: Schedule.spaced("50 millis"),
      times: 200
    })
  )
  yield* Console.log(
    Page.answer({
      title: "The list shows the change when the new pod is ready",
      curl: Page.curl(url, "VIEWER", `/api/v1/workloads?${query}`, "hub"),
      table: Output.table(Columns.workloads(yield* Clock.currentTimeMillis).table, workloads),
      notes: Page.coverage(clusters, undefined)
    })
  )
})
