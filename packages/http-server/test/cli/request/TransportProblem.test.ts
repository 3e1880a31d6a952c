import { assert, describe, it } from "@effect/vitest"
import { HttpClientError, HttpClientRequest } from "effect/http"
import { explain } from "../../../src/cli/request/TransportProblem.ts"

const request = HttpClientRequest.get("https://quarterdeck.example")
const explained = (cause: unknown) => explain(new HttpClientError.TransportError({ request, cause }))
const withCode = (code: string, cause?: unknown) => Object.assign(new Error("secret detail", { cause }), { code })

describe("TransportProblem", () => {
  it.each([
    ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)"],
    ["CERT_HAS_EXPIRED", "its certificate has expired (CERT_HAS_EXPIRED)"],
    ["ERR_SSL_UNKNOWN", "the server does not speak TLS: does the address need http? (ERR_SSL_UNKNOWN)"],
    ["HPE_OTHER", "the server does not speak HTTP/1.1: does the address need https? (HPE_OTHER)"],
    ["EOTHER", "the connection failed (EOTHER)"]
  ])("explains %s by its code alone", (code, text) => {
    assert.strictEqual(explained(withCode(code)), text)
  })

  it("finds the code below an error that has none", () => {
    assert.strictEqual(
      explained(new TypeError("fetch failed", { cause: withCode("ENOTFOUND") })),
      "the host name is unknown (ENOTFOUND)"
    )
  })

  it("ends at causes that form a ring, and with something that is no error", () => {
    const ring = new Error("a")
    ring.cause = ring
    for (const cause of [ring, "text", undefined]) assert.strictEqual(explained(cause), "the connection failed")
  })
})
