import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import { requestsOnly } from "../../src/usage/UsageSource.ts"
import * as UsageSetting from "../../src/usage/UsageSetting.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Part = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9._~-]{1,12}$/))
const Ending = Schema.String.check(Schema.isMaxLength(40))
const Host = Schema.String.check(Schema.isPattern(/^[a-z]{1,10}(\.[a-z]{2,5}){0,2}$/))

describe("the usage setting", () => {
  it.prop(
    "what is read from a printed setting is that setting without its credentials, and nothing printed holds them",
    [Schema.Literals(["http", "https"]), Host, int(1, 65_535), Schema.Array(Part), Ending, Part],
    ([protocol, host, port, path, ending, user]) => {
      const password = `s3cret${ending.toWellFormed()}`
      const suffix = path
        .filter((part) => !/^\.+$/.test(part))
        .map((part) => `/${part}`)
        .join("")
      const text = `prometheus=${protocol}://${user}:${encodeURIComponent(password)}@${host}:${port}${suffix}/`
      const setting = Result.getOrThrow(UsageSetting.parse(text))
      assert.strictEqual(setting._tag, "Prometheus")
      if (setting._tag !== "Prometheus") return
      assert.strictEqual(setting.credentials?.username, user)
      assert.strictEqual(Redacted.value(setting.credentials?.password ?? Redacted.make("")), password)
      const printed = UsageSetting.print(setting)
      const { credentials: _, ...rest } = setting
      assert.deepStrictEqual(Result.getOrThrow(UsageSetting.parse(printed)), rest)
      assert.notInclude(printed, "@")
      assert.notInclude(JSON.stringify(setting), "s3cret")
    }
  )

  it("metrics and requests are read and printed as they are", () => {
    for (const text of ["metrics", "requests"]) {
      assert.strictEqual(UsageSetting.print(Result.getOrThrow(UsageSetting.parse(` ${text} `))), text)
    }
    assert.strictEqual(requestsOnly._tag, "RequestsOnly")
  })

  it("an address with a path keeps it, without a slash at its end", () => {
    const setting = Result.getOrThrow(UsageSetting.parse("prometheus=https://mimir.example.org/prometheus/"))
    assert.deepStrictEqual(setting, { _tag: "Prometheus", url: "https://mimir.example.org/prometheus" })
  })

  it("anything else is refused in the name of the field, without repeating what may be secret", () => {
    for (const text of [
      "",
      "Metrics",
      "prometheus",
      "prometheus=",
      "prometheus=secret",
      "prometheus=ftp://secret@host",
      "prometheus=http://",
      "prometheus=http://host?token=secret",
      "prometheus=http://host/#secret",
      "prometheus=http://user:secret%@host"
    ]) {
      const error = Result.getOrThrow(Result.flip(UsageSetting.parse(text, "cost.usageByCluster.eu")))
      assert.match(error.message, /^cost\.usageByCluster\.eu: /, text)
      assert.notInclude(error.message, "secret", text)
    }
  })
})
