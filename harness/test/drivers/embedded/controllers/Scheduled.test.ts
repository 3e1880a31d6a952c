import { assert, describe, it } from "@effect/vitest"
import { settled } from "./Scheduled.ts"

const bound = { kind: "Pod", spec: { nodeName: "n1" } }
const note = {
  lastTransitionTime: "*",
  message: 'running Bind plugin "DefaultBinder": pods "db-0" not found',
  observedGeneration: "*",
  reason: "SchedulerError",
  status: "False",
  type: "PodScheduled"
}

describe("a condition of a pod", () => {
  it("that its predecessor of the same name was gone when it was bound counts as what the pod is, bound", () => {
    assert.deepStrictEqual(settled(bound, note), { lastTransitionTime: "*", status: "True", type: "PodScheduled" })
  })

  it("stays what it is where the pod has no node, or the scheduler failed at something else", () => {
    const message = 'running Bind plugin "DefaultBinder": the volume is elsewhere'
    const kept = [
      [{ kind: "Pod", spec: {} }, note],
      [bound, { ...note, message }],
      [bound, { ...note, reason: "Unschedulable" }],
      [bound, { ...note, type: "Ready" }]
    ] as const
    for (const [pod, condition] of kept) assert.deepStrictEqual(settled(pod, condition), condition)
  })
})
