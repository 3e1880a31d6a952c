import { assert, describe, it } from "@effect/vitest"
import { hostname } from "node:os"
import { Effect } from "effect"
import * as Owner from "../../../src/machine/Owner.ts"
import { isDead, labels, OWNER_LABEL } from "../../../src/drivers/k3s/Labels.ts"

const self = Effect.promise(() => Owner.self())

describe("isDead", () => {
  it.effect("false for this process", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* isDead((yield* labels)[OWNER_LABEL] ?? ""))
    })
  )

  it.effect("true for a process of this machine that has ended, and for a number that was given to another one", () =>
    Effect.gen(function* () {
      const mine = yield* self
      assert.isTrue(yield* isDead(`${hostname()}/${Owner.print({ ...mine, pid: 1_999_999 })}`))
      assert.isTrue(yield* isDead(`${hostname()}/${Owner.print({ ...mine, start: "1" })}`))
    })
  )

  it.effect("false for owners elsewhere, and for what is no owner", () =>
    Effect.gen(function* () {
      const dead = { ...(yield* self), pid: 1_999_999 }
      for (const label of [
        `elsewhere/${Owner.print(dead)}`,
        `${hostname()}/${Owner.print({ ...dead, world: "9999999999" })}`,
        Owner.print(dead),
        ""
      ]) {
        assert.isFalse(yield* isDead(label), label)
      }
    })
  )
})
