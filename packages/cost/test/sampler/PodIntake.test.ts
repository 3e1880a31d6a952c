import { PodProjection } from "@quarterdeck/cluster-fanout"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { PodIntake } from "../../src/sampler/PodIntake.ts"
import { PodObservations } from "../../src/sampler/PodObservations.ts"
import { at } from "./objects.ts"
import { a } from "./sampling.ts"

const START = at("10:00:00")
const NOW = at("10:20:00")
/** More than are taken in at once. */
const PODS = 700

const pod = (number: number, cpuRequestMillis: number): PodProjection.PodRecord => ({
  uid: `pod-${number}`,
  cluster: a,
  namespace: "shop",
  name: `pod-${number}`,
  labels: { app: "web" },
  createdAt: "",
  startedAt: "",
  node: "n1",
  phase: "Running",
  status: "Running",
  readyContainers: 1,
  restarts: 0,
  lastRestartSeconds: 0,
  ready: true,
  terminating: false,
  trouble: undefined,
  containerState: undefined,
  hasResourceClaims: false,
  images: [],
  owner: undefined,
  row: undefined,
  cpuRequestMillis,
  memoryRequestBytes: 1_024,
  cpuLimitMillis: 0,
  memoryLimitBytes: 0,
  containers: [{ name: "main", role: "main", cpuRequestMillis, memoryRequestBytes: 1_024, gpus: 0 }],
  containerRuns: [0, START - 60_000, 0, 0],
  claims: []
})

const Happening = Schema.Struct({
  does: Schema.Literals(["step", "change", "change", "gone", "gone", "relist"]),
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: PODS + 20 }))
})

const factsOf = (pods: PodObservations) =>
  pods.facts(NOW, new Map()).toSorted((one, other) => (one.uid < other.uid ? -1 : 1))

describe("a complete list of pods", () => {
  it.prop(
    "make the same hour some at a time as in one go, whatever changes meanwhile",
    [Schema.Array(Happening)],
    ([happenings]) => {
      const some = new PodObservations(START)
      const once = new PodObservations(START)
      const intake = new PodIntake({ hours: () => [{ pods: some }], now: () => NOW, settle: () => undefined })
      let told = new Map(Array.from({ length: PODS }, (_, number) => [`pod-${number}`, pod(number, 100)]))
      const tellAll = () => {
        told = new Map(told)
        intake.whole(told)
        once.whole(told, NOW)
      }
      tellAll()
      assert.isFalse(intake.isDone)
      for (const { does, which } of happenings) {
        const held = told.get(`pod-${which}`)
        if (does === "step") intake.step()
        if (does === "relist") tellAll()
        if (does === "change") {
          const next = pod(which, (held?.cpuRequestMillis ?? 0) + 100)
          told.set(next.uid, next)
          intake.put(next, held)
          once.put(next, NOW)
        }
        if (does === "gone" && held !== undefined) {
          told.delete(held.uid)
          intake.gone(held)
          once.gone(held.uid, NOW)
        }
      }
      while (!intake.isDone) intake.step()
      assert.deepStrictEqual(factsOf(some), factsOf(once))
    }
  )
})
