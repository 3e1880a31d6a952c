import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { withEgress } from "../../src/usage/EgressByName.ts"
import { build } from "../../src/allocation/HourBuilder.ts"
import type { PodFacts } from "../../src/allocation/HourFacts.ts"
import { withUsage } from "../../src/sampler/OpenHour.ts"
import * as PodLines from "../../src/usage/prometheus/PodLines.ts"
import * as PodsOfHour from "../../src/usage/prometheus/PodsOfHour.ts"
import { amountOf, container, facts, pod, span, startMs } from "../allocation/facts.ts"

/** One of several pods that had the name db-0. */
const replica = (uid: string, runs: PodFacts["containers"][number]["runs"]): PodFacts =>
  pod("db-0", { uid, containers: [container({ runs })] })

const told = (internetKib: number) => [
  { namespace: "shop", pod: "db-0", egress: { zoneKib: 0, regionKib: 0, internetKib } }
]

const chargedTo = (pods: ReadonlyArray<PodFacts>, internetKib: number): number =>
  amountOf(build(withUsage(facts({ pods }), { containers: [], egress: told(internetKib) })), "db", "internetEgressKib")

const Runs = Schema.Array(
  Schema.Struct({
    from: Schema.Int.check(Schema.isBetween({ minimum: -900, maximum: 4_500 })),
    seconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 }))
  })
).check(Schema.isMinLength(1), Schema.isMaxLength(6))

const Kib = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

describe("egress measured under a pod's name", () => {
  it("is charged once, however often the pod was made anew", () => {
    const pods = [
      replica("u1", [span("10:00:00", "10:20:00")]),
      replica("u2", [span("10:20:10", "10:40:00")]),
      replica("u3", [span("10:40:10", "11:00:00")])
    ]
    assert.strictEqual(chargedTo(pods, 1_000), 1_000)
  })

  it("is none of a pod's that came after the hour", () => {
    const pods = [replica("u1", [span("10:00:00", "10:59:50")]), replica("u2", [span("11:00:20", "11:01:40")])]
    const parts = withEgress(pods, told(1_000), startMs).map(({ egress }) => egress?.internetKib)
    assert.deepStrictEqual(parts, [1_000, undefined])
    assert.strictEqual(chargedTo(pods, 1_000), 1_000)
  })

  it("is charged once where none of the pods ran in the hour", () => {
    assert.strictEqual(chargedTo([replica("u1", []), replica("u2", [])], 1_000), 1_000)
  })

  it("is charged once in hours of the past, too", () => {
    const running = (uid: string, first: number, end: number) => ({
      labels: { namespace: "shop", pod: "db-0", uid, container: "app", role: "main" },
      points: Array.from({ length: end - first }, (_, slice) => ({
        atMs: startMs + (first + slice + 1) * 300_000,
        value: 31
      }))
    })
    const named = (uid: string) => ({
      labels: { namespace: "shop", pod: "db-0", uid, node: "node-1" },
      points: [{ atMs: startMs + 3_600_000, value: 1 }]
    })
    const answers: PodsOfHour.PodAnswers = {
      running: [running("u1", 0, 4), running("u2", 4, 12)],
      podStarts: [],
      podEnds: [],
      starts: [],
      cgroupStarts: [],
      requests: [],
      reportedRequests: [],
      refusedRequests: [],
      fittingRequests: [],
      sidecars: [],
      outOfMemory: [],
      mounts: [],
      podOwners: [],
      replicaSetOwners: [],
      jobOwners: [],
      workloadLabels: []
    }
    const known = PodLines.pods([named("u1"), named("u2")], [], startMs, () => true)
    const pods = PodsOfHour.read(known, answers, { containers: [], egress: told(900) }, startMs, () => true)
    assert.deepStrictEqual(
      pods.map(({ egress, uid }) => [uid, egress?.internetKib]),
      [
        ["u1", 300],
        ["u2", 600]
      ]
    )
  })

  it.prop("adds up to the measured egress, whatever the run times and their order", [Runs, Kib], ([runs, kib]) => {
    const pods = runs.map(({ from, seconds }, place) =>
      replica(`u${place}`, [{ fromMs: startMs + from * 1_000, toMs: startMs + (from + seconds) * 1_000 }])
    )
    const sum = chargedTo(pods, kib)
    assert.approximately(sum, kib, 0.501)
    assert.strictEqual(chargedTo(pods.toReversed(), kib), sum)
  })
})
