import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Curve from "../../../src/simulation/usage/Curve.ts"
import * as CurveText from "../../../src/simulation/usage/CurveText.ts"
import * as Profile from "../../../src/simulation/usage/Profile.ts"

const DAY_MS = 86_400_000
const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Level = int(0, 4_000)
const Period = int(2, 2 * DAY_MS)
/** The years 2001 to 2033. */
const Instant = int(1_000_000_000_000, 2_000_000_000_000)
const Length = int(1, 3 * DAY_MS)
const Options = Schema.Struct({
  shape: Schema.Literals(["Flat", "Wave", "Spike", "Leak"]),
  one: Level,
  other: Level,
  periodMs: Period,
  share: int(0, 100),
  offsetMs: int(0, DAY_MS)
})

const curveOf = ({ offsetMs, one, other, periodMs, shape, share }: typeof Options.Type): Curve.Curve => {
  const range = { low: Math.min(one, other), high: Math.max(one, other), periodMs }
  switch (shape) {
    case "Flat":
      return Curve.flat(one)
    case "Wave":
      return { _tag: "Wave", ...range, peakMs: offsetMs }
    case "Spike":
      return { _tag: "Spike", ...range, forMs: Math.floor((periodMs * share) / 100), offsetMs }
    case "Leak":
      return { _tag: "Leak", ...range, offsetMs }
  }
}

/** The midpoint rule: what the closed forms have to agree with. */
const numeric = (curve: Curve.Curve, fromMs: number, toMs: number, steps: number): number => {
  const stepMs = (toMs - fromMs) / steps
  let sum = 0
  for (let at = 0; at < steps; at++) sum += Curve.at(curve, fromMs + (at + 0.5) * stepMs)
  return (sum * stepMs) / 1_000
}

/** How much a sum of `steps` may miss at the jumps: one step's area for each. */
const slack = (curve: Curve.Curve, lengthMs: number, steps: number): number => {
  if (curve._tag === "Flat") return 1e-6
  const jumps = curve._tag === "Wave" ? 1 : 2 + (2 * lengthMs) / curve.periodMs
  return 1e-6 + (jumps * (curve.high - curve.low) * lengthMs) / steps / 1_000
}

describe("Curve", () => {
  it.prop(
    "the integral is the area that a sum of many small steps finds",
    [Options, Instant, Length],
    ([options, fromMs, length]) => {
      const curve = curveOf(options)
      // With fewer than a thousand steps a period, the sum itself would be wrong.
      const steps = 20_000
      const lengthMs = Math.min(length, 20 * options.periodMs)
      const exact = Curve.integral(curve, fromMs, fromMs + lengthMs)
      const summed = numeric(curve, fromMs, fromMs + lengthMs, steps)
      assert.isAtMost(Math.abs(exact - summed), slack(curve, lengthMs, steps))
    }
  )

  it.prop(
    "two windows that touch add up to the one that spans them",
    [Options, Instant, Length, Length],
    ([options, fromMs, first, second]) => {
      const curve = curveOf(options)
      const [middleMs, toMs] = [fromMs + first, fromMs + first + second]
      const whole = Curve.integral(curve, fromMs, toMs)
      const parts = Curve.integral(curve, fromMs, middleMs) + Curve.integral(curve, middleMs, toMs)
      assert.isAtMost(Math.abs(whole - parts), 1e-9 * Math.max(1, Math.abs(whole)))
    }
  )

  it.prop(
    "levels stay within their bounds, and so does every mean",
    [Options, Instant, Length],
    ([options, at, long]) => {
      const curve = curveOf(options)
      const [low, high] = curve._tag === "Flat" ? [curve.level, curve.level] : [curve.low, curve.high]
      for (const level of [Curve.at(curve, at), Curve.average(curve, at, at + long)]) {
        assert.isAtLeast(level, low - 1e-6)
        assert.isAtMost(level, high + 1e-6)
      }
    }
  )

  it.prop("a curve that is printed is read as the same one", [Options], ([options]) => {
    const curve = curveOf(options)
    assert.deepStrictEqual(CurveText.parse(CurveText.print(curve)), curve)
  })

  it("quantities and lengths are those of Kubernetes", () => {
    const wave = { _tag: "Wave", low: 0.1, high: 2, periodMs: DAY_MS, peakMs: DAY_MS / 2 } as const
    assert.deepStrictEqual(CurveText.parse("wave 100m 2 every 1d at 12h"), wave)
    const leak = { _tag: "Leak", low: 2 ** 28, high: 2 ** 30, periodMs: 5_400_000, offsetMs: 0 } as const
    assert.deepStrictEqual(CurveText.parse(" leak 256Mi  1Gi every 1h30m"), leak)
  })

  it("what is no curve is refused", () => {
    for (const text of [
      "",
      "flat",
      "flat 1 2",
      "flat -1",
      "wave 1 2",
      "wave 1 2 every 0s",
      "wave 1 2 every 1h every 2h",
      "spike 1 2 every 1h",
      "spike 1 2 every 1h for 2h",
      "leak 1 2 every 1h for 5m",
      "leak 1 2 every soon",
      "sine 1 2 every 1h"
    ]) {
      assert.isUndefined(CurveText.parse(text), text)
    }
  })
})

describe("Profile", () => {
  const Name = Schema.String.check(Schema.isPattern(/^[a-z]{1,12}$/))
  const identityOf = (name: string) => ({ namespace: "shop", kind: "Deployment", name, container: "main" })

  it.prop(
    "a workload uses the same wherever it is asked, and never more than its limits",
    [int(0, 99), Name],
    ([seed, name]) => {
      const bounds = {
        cpuRequestCores: 0.2,
        cpuLimitCores: 0.25,
        memoryRequestBytes: 2 ** 28,
        memoryLimitBytes: 2 ** 28
      }
      const usage = Profile.assign(seed, identityOf(name), bounds)
      assert.deepStrictEqual(Profile.assign(seed, identityOf(name), bounds), usage)
      assert.isAtMost(Curve.highest(usage.cpuCores), 0.25 + 1e-12)
      assert.isAtMost(Curve.highest(usage.memoryBytes), 2 ** 28 + 1e-3)
    }
  )

  it("among a hundred workloads there is every behaviour", () => {
    const names = Array.from({ length: 100 }, (_, at) => `w${at}`)
    const seen = new Set(names.map((name) => Profile.behaviourOf(1, identityOf(name))))
    assert.deepStrictEqual([...seen].toSorted(), ["flat", "idle", "leak", "spike", "wave"])
  })

  it("an annotation goes before the seed, and one for the container before one for all", () => {
    const annotations = {
      [Profile.Annotation.cpu]: "flat 1",
      [`${Profile.Annotation.cpu}.side`]: "flat 2",
      [Profile.Annotation.memory]: "nonsense"
    }
    const of = (container: string) => Profile.assign(1, { ...identityOf("web"), container }, {}, annotations)
    assert.deepStrictEqual(of("main").cpuCores, Curve.flat(1))
    assert.deepStrictEqual(of("side").cpuCores, Curve.flat(2))
    assert.deepStrictEqual(of("main").memoryBytes, Profile.assign(1, identityOf("web"), {}).memoryBytes)
  })
})
