import { assert, describe, it } from "@effect/vitest"
import * as SessionId from "@quarterdeck/keys/SessionId"
import { Duration, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import * as SessionCookie from "../../../src/http/request/SessionCookie.ts"

const NAMES = ["qd_session", "__Host-qd_session"] as const
const week = Duration.days(7)

const Text = Schema.String.check(Schema.isPattern(/^[ -:<-~]{0,60}$/))
/** Cookies as browsers, proxies and strangers send them: ours, others', near misses, and rubbish. */
const Pair = Schema.Union([
  Schema.Tuple([Schema.Literals([...NAMES, "qd_sessio", "QD_session", "other"]), Text]),
  Schema.Tuple([Text, Text])
])

const valueOf = (name: string, headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers
    .flatMap((header) => header.split(";"))
    .filter((pair) => pair.includes("="))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const)
    .filter(([key]) => key.trim() === name)
    .map(([, value]) => value.trim())

describe("the cookie of a session", () => {
  it.each([true, false])("is read back as it was set, whatever stands beside it; over HTTPS: %s", (secure) => {
    const id = SessionId.generate(randomBytes)
    const [cookie = ""] = SessionCookie.print(id, week, secure).split(";")
    const presented = SessionCookie.read([`theme=dark; ${cookie}`, "lang=en"], secure)
    assert.isTrue(presented._tag === "Present" && Redacted.value(presented.id) === Redacted.value(id))
    assert.strictEqual(SessionCookie.read([`theme=dark; ${cookie}`], !secure)._tag, "Absent")
  })

  it("is out of reach of pages, of other sites, and over HTTPS of plain HTTP", () => {
    const id = SessionId.generate(randomBytes)
    const plain = SessionCookie.print(id, week, false)
    const secure = SessionCookie.print(id, week, true)
    assert.strictEqual(plain, `qd_session=${Redacted.value(id)}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict`)
    assert.strictEqual(
      secure,
      `__Host-qd_session=${Redacted.value(id)}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure`
    )
    assert.strictEqual(SessionCookie.forget(false), "qd_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
  })

  it.prop(
    "is taken from one cookie of its very name, and of several from none",
    [Schema.Array(Schema.Array(Pair)), Schema.Boolean],
    ([headers, secure]) => {
      const lines = headers.map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join("; "))
      const values = valueOf(secure ? "__Host-qd_session" : "qd_session", lines)
      const presented = SessionCookie.read(lines, secure)
      const expected = values.length === 0 ? "Absent" : values.length > 1 ? "Repeated" : undefined
      if (expected !== undefined) assert.strictEqual(presented._tag, expected)
      else assert.strictEqual(presented._tag, /^[0-9A-Za-z]{43}$/.test(values[0] ?? "") ? "Present" : "Unknown")
    }
  )
})
