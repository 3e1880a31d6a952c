import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import * as Credential from "../src/Credential.ts"

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const tagOf = (...values: ReadonlyArray<string>) => Credential.fromAuthorization(values)._tag
const keyOf = (value: string): string | undefined => {
  const credential = Credential.fromAuthorization([value])
  return credential._tag === "Present" ? Redacted.value(credential.key) : undefined
}

describe("the credential of a request", () => {
  it.each([
    ["Bearer", "Bearer qd_abc", "qd_abc"],
    ["bearer in small letters", "bearer qd_abc", "qd_abc"],
    ["Bearer between spaces", " \tBearer  qd_abc ", "qd_abc"],
    [
      "a Bearer token of any visible characters",
      "Bearer !#$%&'()*+-./:;<=>?@[]^_`{|}~",
      "!#$%&'()*+-./:;<=>?@[]^_`{|}~"
    ],
    ["the password of Basic", basic("anyone:qd_abc"), "qd_abc"],
    ["the password of Basic without a username", basic(":qd_abc"), "qd_abc"],
    ["a password with colons", basic("user:a:b:"), "a:b:"],
    ["a password with spaces, commas and other letters", basic("user:größe, und mehr"), "größe, und mehr"],
    ["a password that begins with a byte order mark", basic("user:\ufeffkey"), "\ufeffkey"],
    ["Basic in capitals", `BASIC ${Buffer.from("u:p").toString("base64")}`, "p"]
  ])("is taken from %s", (_name, value, key) => assert.strictEqual(keyOf(value), key))

  it.each([
    ["no header"],
    ["an empty header", ""],
    ["Bearer without a key", "Bearer"],
    ["Bearer and a space", "Bearer "],
    ["an empty password", basic("qd_abc:")],
    ["another scheme", "Digest username=x"],
    ["a key without a scheme", "qd_abc"]
  ])("is missing with %s", (_name, ...values) => assert.strictEqual(tagOf(...values), "Missing"))

  it.each([
    ["two lines", "Bearer a", "Bearer b"],
    ["two equal lines", "Bearer a", "Bearer a"],
    ["one good line and an empty one", "Bearer a", ""],
    ["two credentials joined by a comma", "Bearer a, Bearer b"],
    ["two tokens", "Bearer a b"],
    ["a tab between two tokens", "Bearer a\tb"],
    ["a comma in the token", "Bearer a,b"],
    ["a line end in the token", "Bearer a\nb"],
    ["a token outside ASCII", "Bearer gr\u00f6\u00dfe"],
    ["Basic without anything", "Basic"],
    ["Basic joined with another", `${basic("u:p")}, ${basic("u:q")}`],
    ["Basic that is not base64", "Basic ***"],
    ["Basic without padding", "Basic dTpwYQ"],
    ["Basic in the URL alphabet", "Basic dTo_Pz8_"],
    ["Basic with stray bits", "Basic dTpwYR=="],
    ["Basic that is not UTF-8", `Basic ${Buffer.from([0x75, 0x3a, 0xff]).toString("base64")}`],
    ["Basic without a colon", basic("qd_abc")]
  ])("is malformed as %s", (_name, ...values) => assert.strictEqual(tagOf(...values), "Malformed"))

  it("is read in a time that grows with the header's length alone", () => {
    const startedAt = performance.now()
    assert.strictEqual(tagOf(`Bearer a${" \t".repeat(250_000)}b`), "Malformed")
    assert.strictEqual(tagOf(`${" \t".repeat(250_000)}Bearer a b`), "Malformed")
    assert.isBelow(performance.now() - startedAt, 5_000)
  })

  it.prop(
    "is the key that was sent as Basic, whatever the username",
    [Schema.String, Schema.NonEmptyString],
    ([user, key]) => {
      if (user.includes(":") || !user.isWellFormed() || !key.isWellFormed()) return
      assert.strictEqual(keyOf(basic(`${user}:${key}`)), key)
    }
  )

  it.prop("never appears in a refusal", [Schema.String], ([text]) => {
    const credential = Credential.fromAuthorization([`Bearer ${text}`])
    if (credential._tag === "Present" || text.trim().length < 12) return
    assert.notInclude(credential.detail, text)
  })
})
