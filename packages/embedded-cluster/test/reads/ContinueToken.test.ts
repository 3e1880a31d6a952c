import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as ContinueToken from "../../src/reads/ContinueToken.ts"

const Revision = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 40 })),
  Schema.Literal(-1)
])
const Key = Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,10}(\/[a-z0-9.-]{0,9}[a-z0-9])?$/))

describe("ContinueToken", () => {
  it("has the real server's form", () => {
    const token = ContinueToken.print(ContinueToken.after("p-0", 894))
    assert.strictEqual(
      Buffer.from(token, "base64url").toString(),
      '{"v":"meta.k8s.io/v1","rv":894,"start":"/p-0\\u0000"}'
    )
  })

  it.prop("reads back every token that it prints", [Revision, Key], ([revision, key]) => {
    const token = ContinueToken.after(key, revision)
    assert.deepStrictEqual(Result.getOrThrow(ContinueToken.parse(ContinueToken.print(token))), token)
  })

  it.each([
    "zzz",
    "{}",
    Buffer.from('{"v":"v2","rv":1,"start":"/a"}').toString("base64url"),
    Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"/a"}').toString("base64url"),
    Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"/../a"}').toString("base64url")
  ])("400 for %s", (text) => {
    const failure = Result.merge(Result.flip(ContinueToken.parse(text)))
    assert.propertyVal(failure, "code", 400)
  })

  it.prop("never throws, whatever the text", [Schema.String], ([text]) => {
    assert.isBoolean(Result.isSuccess(ContinueToken.parse(text)))
  })
})
