import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import * as KeyHash from "../src/KeyHash.ts"
import { hashOf } from "./samples.ts"

describe("the hash of a key", () => {
  it("is the SHA-256 of the UTF-8 text without a line end, as sha256sum prints it", () => {
    assert.strictEqual(
      KeyHash.fromRawKey(Redacted.make("abc")),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert.strictEqual(
      KeyHash.fromRawKey(Redacted.make("größe")),
      KeyHash.fromRawKey(Redacted.make(Buffer.from("größe", "utf8").toString("utf8")))
    )
  })

  it("is a hash in the eyes of its schema", () => {
    assert.isTrue(Schema.is(KeyHash.KeyHash)(KeyHash.fromRawKey(Redacted.make("abc"))))
  })

  it.each(["", "A".repeat(64), "a".repeat(63), "a".repeat(65), "g".repeat(64), `${"a".repeat(64)}\n`])(
    "is not %j",
    (text) => {
      assert.isFalse(Schema.is(KeyHash.KeyHash)(text))
    }
  )

  it("equals itself alone", () => {
    assert.isTrue(KeyHash.equals(hashOf("a"), hashOf("a")))
    assert.isFalse(KeyHash.equals(hashOf("a"), hashOf("b")))
  })
})
