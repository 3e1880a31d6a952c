/**
 * Has an Operator's key change a workload: first what that would be, then the change, then what a list shows of it.
 */
import type { ActionResult } from "@quarterdeck/contract/WorkloadGroup"
import * as Columns from "@quarterdeck/http-server/cli/Columns"
import * as Output from "@quarterdeck/http-server/cli/Output"
import { Clock, Console, Effect } from "effect"
import type { DemoClient } from "./DemoClient.ts"
import * as Page from "./Page.ts"

interface Asker {
  readonly client: ReturnType<typeof DemoClient.make>
  readonly url: string
  readonly operator: string
  readonly viewer: string
}

const PATH = "/api/v1/workloads/hub/shop/Deployment/assistant/scale"
const REPLICAS = 3

/** Else one would wait for it. */
const NO_CONTROLLERS = "No controller runs in these clusters, so no pod follows: it stays on its way."

const textOf = ({ replicas }: ActionResult["before"]): string => `${replicas ?? "-"} replicas`

const COLUMNS = [
  { title: "CLUSTER", cell: (row: ActionResult) => row.cluster },
  { title: "NAMESPACE", cell: (row: ActionResult) => row.namespace },
  { title: "NAME", cell: (row: ActionResult) => row.name },
  { title: "STATUS", cell: (row: ActionResult) => row.status },
  { title: "BEFORE", cell: (row: ActionResult) => textOf(row.before) },
  { title: "AFTER", cell: (row: ActionResult) => textOf(row.after) }
]

export const show = Effect.fnUntraced(function* ({ client, operator, url, viewer }: Asker) {
  const steps = [
    { title: "What would it be to scale one? An Operator's dry run", body: { replicas: REPLICAS, dryRun: true } },
    { title: "And done", body: { replicas: REPLICAS } }
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
  const isThere = ({ replicas }: { readonly replicas: { readonly desired: number } }) => replicas.desired === REPLICAS
  const { clusters, workloads } = yield* client
    .workloads(viewer, "hub", query)
    .pipe(Effect.repeat({ until: (list) => list.workloads.some(isThere), times: 200 }))
  yield* Console.log(
    Page.answer({
      title: "The list has it",
      curl: Page.curl(url, "VIEWER", `/api/v1/workloads?${query}`, "hub"),
      table: Output.table(Columns.workloads(yield* Clock.currentTimeMillis).table, workloads),
      notes: [...Page.coverage(clusters, undefined), NO_CONTROLLERS]
    })
  )
})
