import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { covers } from "../../../src/simulation/kubelet/StatusContainment.ts"
import { parseMs, printMs } from "../../../src/simulation/kubelet/GoDuration.ts"
import * as Agenda from "../../../src/simulation/kubelet/Agenda.ts"
import { Annotation, type PodScript, read } from "../../../src/simulation/kubelet/PodScript.ts"
import type { PodView } from "../../../src/simulation/kubelet/PodView.ts"
import * as Timeline from "../../../src/simulation/kubelet/Timeline.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const YEAR_MS = 365 * 86_400_000

const QUIET: PodScript = {
  startDelayMs: 0,
  initDurationMs: 0,
  readyDelayMs: 0,
  deleteDelayMs: 0,
  exitCode: 0,
  restarts: 0
}

const Life = Schema.Struct({
  script: Schema.Struct({
    startDelayMs: int(0, 5_000),
    initDurationMs: int(0, 5_000),
    readyDelayMs: int(0, 5_000),
    deleteDelayMs: Schema.Literal(0),
    exitCode: int(0, 2),
    restarts: int(0, 3),
    runForMs: Schema.optionalKey(int(0, 60_000))
  }),
  circumstances: Schema.Struct({
    originMs: int(0, 1_000_000),
    inits: int(0, 3),
    restartPolicy: Schema.Literals(["Always", "OnFailure", "Never"])
  })
})

const pod = (annotations: Readonly<Record<string, string>>): PodView => ({
  metadata: { name: "p", namespace: "n", uid: "u", annotations },
  spec: { containers: [{ name: "main" }] }
})
const scriptOf = (annotations: Readonly<Record<string, string>>) => read(pod(annotations), { jobDurationMs: 0 })

describe("Timeline", () => {
  it.prop(
    "a stage lasts until the instant that it names, and not longer",
    [Life, int(0, 3_600_000)],
    ([life, laterMs]) => {
      const nowMs = life.circumstances.originMs + laterMs
      const at = (instantMs: number) => Timeline.at(life.script, life.circumstances, instantMs)
      const { stage, untilMs } = at(nowMs)
      if (untilMs === undefined) {
        assert.deepStrictEqual(at(nowMs + YEAR_MS).stage, stage)
        return
      }
      assert.isAbove(untilMs, nowMs)
      assert.deepStrictEqual(at(untilMs - 1).stage, stage)
      assert.notDeepEqual(at(untilMs).stage, stage)
    }
  )

  it("a container that always ends restarts after 0, 10, 20, 40 … 300 s, for years if need be", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((restart) => Timeline.backOffMs(restart) / 1_000)
    assert.deepStrictEqual(delays, [0, 10, 20, 40, 80, 160, 300, 300])
    const script = { ...QUIET, runForMs: 1_000, exitCode: 1 }
    const { stage } = Timeline.at(script, { originMs: 0, inits: 0, restartPolicy: "Always" }, YEAR_MS)
    assert.isTrue(stage._tag === "Running" || stage._tag === "BackingOff")
    // A restart each 301 s, once the pauses have grown.
    if (stage._tag === "BackingOff") assert.approximately(stage.restarts, YEAR_MS / 301_000, 10)
  })
})

describe("PodScript", () => {
  it("annotations are read, and one that is wrong is named", () => {
    const script = scriptOf({
      [Annotation.startDelay]: "1m30s",
      [Annotation.fail]: "OOMKilled",
      [Annotation.runFor]: "5s"
    })
    assert.deepStrictEqual(
      script,
      Result.succeed({ ...QUIET, startDelayMs: 90_000, fail: "OOMKilled", exitCode: 137, runForMs: 5_000 })
    )
    for (const [annotation, value] of [
      [Annotation.exitCode, "256"],
      [Annotation.startedAt, "yesterday"],
      [Annotation.container, "other"],
      [Annotation.restarts, "-1"]
    ] as const) {
      const refused = scriptOf({ [annotation]: value })
      assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes(annotation), annotation)
    }
  })
})

describe("GoDuration", () => {
  it.prop("a length that is printed is read as the same one", [int(0, 10 * YEAR_MS)], ([milliseconds]) => {
    assert.strictEqual(parseMs(printMs(milliseconds)), milliseconds)
  })

  it("what is no duration is refused", () => {
    for (const text of ["", "5", "1x", "-1s", "1s ", "s", "1h 2m"]) assert.isUndefined(parseMs(text), text)
    assert.strictEqual(parseMs("1.5h"), 5_400_000)
  })
})

describe("covers", () => {
  it.prop("everything covers itself", [Schema.Record(Schema.String, Schema.Array(int(0, 3)))], ([value]) => {
    assert.isTrue(covers(value, value))
  })

  it("elements of lists are found by their names, and more may be there than is wanted", () => {
    const present = {
      conditions: [
        { type: "A", status: "True", since: 1 },
        { type: "B", status: "True" }
      ],
      phase: "x"
    }
    assert.isTrue(covers(present, { conditions: [{ type: "B", status: "True" }] }))
    assert.isFalse(covers(present, { conditions: [{ type: "A", status: "False" }] }))
    assert.isFalse(covers(present, { conditions: [{ type: "C", status: "True" }] }))
    assert.isFalse(covers(undefined, { phase: "x" }))
  })
})

describe("Agenda", () => {
  it("keeps one piece of work a key", () => {
    const agenda = Agenda.make<number>()
    for (let at = 0; at < 1_000; at++) agenda.put(`k${at % 10}`, 1_000 - at, at)
    assert.strictEqual(agenda.size(), 10)
    agenda.drop("k3")
    assert.strictEqual(agenda.size(), 9)
  })
})
