import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Monitoring from "./Monitoring.ts"
import * as Promtool from "./Promtool.ts"

const JUDGED = [
  ["are rules that Prometheus takes", "check", "docs/monitoring/alerts.yaml"],
  ["tell of what is wrong, and are silent while all is well", "test", "docs/monitoring/alerts.test.yaml"]
] as const

describe("alert rules", () => {
  Promtool.sayIfLeftOut(it)

  for (const [name, verb, file] of Promtool.runs ? JUDGED : []) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { status, text } = yield* Promtool.run(verb, "rules", yield* Monitoring.fileOf(file))
        assert.strictEqual(status, 0, text)
      })
    )
  }

  it.effect("are explained, each of them", () =>
    Effect.gen(function* () {
      const names = (yield* Monitoring.alerts).map(({ of }) => of)
      assert.sameMembers([...(yield* Monitoring.explained)], names)
    })
  )
})
