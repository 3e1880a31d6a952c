import { assert, describe, it } from "@effect/vitest"
import * as RawKey from "@quarterdeck/keys/RawKey"
import { Effect, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { quarterdeck } from "../program.ts"

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")

const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ key: Schema.String, hash: Schema.String }))
)

describe("quarterdeck key generate", () => {
  it.live("prints a sound key and its hash", () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* quarterdeck(["key", "generate"])
      const [, key = "", hash] = /^key: {2}(\S+)\nhash: (\S+)\n$/.exec(stdout) ?? []
      assert.isTrue(key.startsWith(RawKey.PREFIX))
      assert.isUndefined(RawKey.faultOf(Redacted.make(key)))
      assert.strictEqual(hash, sha256(key))
      assert.notInclude(stderr, key)
      assert.strictEqual(status, 0)
    })
  )

  it.live("prints both as JSON, and another key each time", () =>
    Effect.gen(function* () {
      const one = yield* decode((yield* quarterdeck(["key", "generate", "-o", "json"])).stdout)
      const other = yield* decode((yield* quarterdeck(["key", "generate", "-o", "json"])).stdout)
      assert.strictEqual(one.hash, sha256(one.key))
      assert.notStrictEqual(one.key, other.key)
    })
  )
})
