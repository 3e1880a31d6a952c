import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as LostAnswer from "../../src/act/LostAnswer.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import { object } from "../fixture/KubeObjects.ts"

const deployment = (replicas: number, { generation = 1, uid = "one", version = "1" } = {}): KubeObject => {
  const made = object("Deployment", "web", { namespace: "shop", uid, generation, spec: { replicas } })
  return { ...made, metadata: { ...made.metadata, resourceVersion: version } }
}

/** Settles a change to three replicas by what is read one after another, the last of it again and again. */
const settled = Effect.fnUntraced(function* (read: ReadonlyArray<KubeObject | undefined>) {
  let times = 0
  const reading = Effect.sync(() => Option.fromUndefinedOr(read[Math.min(times++, read.length - 1)]))
  const settling = yield* Effect.forkChild(
    LostAnswer.settle(reading, {
      before: deployment(1),
      isReached: ({ spec }) => Reflect.get(Object(spec), "replicas") === 3
    })
  )
  yield* TestClock.adjust("4 seconds")
  return yield* Fiber.join(settling)
})

describe("a change whose answer was lost", () => {
  it.effect.each<[string, ReadonlyArray<KubeObject | undefined>, LostAnswer.Settled]>([
    ["was made", [deployment(3, { generation: 2, version: "2" })], { _tag: "Done", resourceVersion: "2" }],
    [
      "was made late",
      [deployment(1), deployment(1), deployment(3, { version: "9" })],
      { _tag: "Done", resourceVersion: "9" }
    ],
    ["was not made", [deployment(1)], { _tag: "NotDone" }],
    ["was not made, and the status changed", [deployment(1, { version: "7" })], { _tag: "NotDone" }],
    ["may have been made before another", [deployment(7, { generation: 3, version: "8" })], { _tag: "Unknown" }],
    ["cannot be read", [undefined], { _tag: "Unknown" }],
    [
      "was of a workload that another took the name of",
      [deployment(3, { uid: "two", version: "9" })],
      { _tag: "Unknown" }
    ]
  ])("%s", ([, read, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(read), expected)
    })
  )
})
