/** Examples of actions on workloads and their results. */
import { ActionRequest, ActionResult, ScaleRequest } from "../WorkloadGroup.ts"
import { BulkActionRequest, BulkActionResult, BulkOutcome, WorkloadName } from "../WorkloadsGroup.ts"
import { example } from "./Example.ts"

const result: typeof ActionResult.Encoded = {
  cluster: "prod",
  namespace: "shop",
  kind: "Deployment",
  name: "web",
  status: "applied",
  resourceVersion: "81322",
  before: { replicas: 2 },
  after: { replicas: 3 }
}

const web = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "web" }
const db = { cluster: "stage", namespace: "shop", kind: "StatefulSet", name: "db" }
const report = { cluster: "prod", namespace: "shop", kind: "CronJob", name: "report" }

const bulk: typeof BulkActionResult.Encoded = {
  outcomes: [
    { ...web, status: "applied", resourceVersion: "81322" },
    { ...db, status: "failed", code: "cluster_unreachable" },
    { ...report, status: "refused", code: "action_unsupported" }
  ],
  partial: true
}

export const actionExamples = [
  example(BulkActionRequest, { action: "restart", targets: [web, db, report] }),
  example(BulkActionResult, bulk),
  example(BulkOutcome, { ...web, status: "applied", resourceVersion: "81322" }),
  example(WorkloadName, web),
  example(ScaleRequest, { replicas: 3, resourceVersion: "81317" }),
  example(ActionRequest, { dryRun: true }),
  example(ActionResult, result),
  example(ActionResult.fields.before, result.after)
]
