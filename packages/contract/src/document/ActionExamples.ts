/** What is asked of one workload, and what became of it. */
import { ActionRequest, ActionResult, ScaleRequest } from "../WorkloadGroup.ts"
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

export const actionExamples = [
  example(ScaleRequest, { replicas: 3, resourceVersion: "81317" }),
  example(ActionRequest, { dryRun: true }),
  example(ActionResult, result),
  example(ActionResult.fields.before, result.after)
]
