import { assert, describe, it } from "@effect/vitest"
import { fromAnswer, fromThrown } from "../../src/kube/AnswerProblem.ts"

const coded = (code: string, cause?: unknown) => Object.assign(new Error("secret detail", { cause }), { code })

describe("what was thrown", () => {
  for (const [thrown, tag] of [
    [coded("ECONNREFUSED"), "ClusterUnreachable"],
    [coded("UND_ERR_CONNECT_TIMEOUT"), "ClusterUnreachable"],
    [new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]), "ClusterUnreachable"],
    [coded("UND_ERR_PRX_TLS", coded("ERR_TLS_CERT_ALTNAME_INVALID")), "ClusterCertificateInvalid"],
    [coded("SELF_SIGNED_CERT_IN_CHAIN"), "ClusterCertificateInvalid"],
    [coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"), "ClusterUnauthorized"],
    [coded("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"), "ClusterUnauthorized"],
    [coded("ERR_SSL_WRONG_VERSION_NUMBER"), "ClusterUnreachable"],
    [coded("HPE_INVALID_CONSTANT"), "ClusterAnswerInvalid"],
    ["not even an error", "ClusterUnreachable"]
  ] as const) {
    it(`${String(thrown instanceof Error && "code" in thrown ? thrown.code : thrown)} is ${tag}`, () => {
      const reason = fromThrown(thrown)
      assert.strictEqual(reason._tag, tag)
      assert.notInclude(reason.message, "secret detail")
    })
  }
})

describe("what was answered", () => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z")
  const answer = {
    isWrite: false,
    status: 429,
    headers: {},
    body: "",
    verb: "list",
    resource: "pods",
    secrets: [],
    nowMs
  }

  it("Retry-After as a date counts from now, and never backwards", () => {
    const later = fromAnswer({ ...answer, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" } })
    assert.include(later, { _tag: "ClusterThrottled", retryAfterMs: 9_000 })
    const earlier = fromAnswer({ ...answer, headers: { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" } })
    assert.include(earlier, { retryAfterMs: 0 })
  })

  it("the body's hint counts where the header is missing", () => {
    const body = JSON.stringify({ kind: "Status", details: { retryAfterSeconds: 3 } })
    assert.include(fromAnswer({ ...answer, body }), { retryAfterMs: 3_000 })
  })

  it("a body that is no Status is not quoted", () => {
    const reason = fromAnswer({ ...answer, status: 502, body: "<html>secret detail</html>" })
    assert.strictEqual(reason.message, "answered 502: Bad Gateway")
  })

  it.each([400, 403, 404, 409, 422])(
    "of a write, %i says that nothing was done, and what the server said",
    (status) => {
      const body = JSON.stringify({ kind: "Status", reason: "Forbidden", message: "quota exceeded for token=abc123" })
      assert.deepInclude(fromAnswer({ ...answer, isWrite: true, status, body }), {
        _tag: "ClusterRefused",
        status,
        problem: "quota exceeded for token=***"
      })
    }
  )

  it("of a write, a 503 that asks for patience does not say that nothing was done", () => {
    const busy = { ...answer, status: 503, headers: { "retry-after": "1" } }
    assert.strictEqual(fromAnswer(busy)._tag, "ClusterThrottled")
    assert.strictEqual(fromAnswer({ ...busy, isWrite: true })._tag, "ClusterAnswerInvalid")
    assert.strictEqual(fromAnswer({ ...answer, isWrite: true })._tag, "ClusterThrottled")
  })

  it("a long message is cut", () => {
    const body = JSON.stringify({ kind: "Status", message: "x".repeat(5_000) })
    assert.isBelow(fromAnswer({ ...answer, status: 500, body }).message.length, 300)
  })
})
