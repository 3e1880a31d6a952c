import { assert, describe, it } from "@effect/vitest"
import * as Headers from "../../src/faults/Headers.ts"

const request = (...rawHeaders: Array<string>) => {
  const index = rawHeaders.findIndex((name) => name.toLowerCase() === "connection")
  return { rawHeaders, headers: index === -1 ? {} : { connection: rawHeaders[index + 1] ?? "" } }
}

describe("headers", () => {
  it("reach the cluster as they were sent, repeated ones too", () => {
    const sent = ["Authorization", "Bearer x", "Impersonate-Group", "a", "Impersonate-Group", "b", "Accept", "*/*"]
    assert.deepStrictEqual(Headers.forCluster(request(...sent), false), sent)
  })

  it("of one connection do not reach the cluster, nor those that it names", () => {
    const sent = request("Host", "x", "Connection", "keep-alive, X-Hop", "x-hop", "1", "TE", "trailers", "X-End", "2")
    assert.deepStrictEqual(Headers.forCluster(sent, false), ["X-End", "2"])
  })

  it("ask for JSON that is not compressed where the body is read", () => {
    const sent = request(
      "Accept",
      "application/vnd.kubernetes.protobuf, application/json;q=0.5",
      "Accept-Encoding",
      "gzip"
    )
    assert.deepStrictEqual(Headers.forCluster(sent, true), ["Accept", " application/json;q=0.5"])
    const only = ["Accept", "application/vnd.kubernetes.protobuf"]
    assert.deepStrictEqual(Headers.forCluster(request(...only), true), only)
  })

  it("tell the client of the connection only that it ends", () => {
    const headers = { "content-length": "3", "set-cookie": ["a", "b"], "keep-alive": "timeout=5", connection: "close" }
    assert.deepStrictEqual(Headers.forClient(headers, { lengthHolds: true }), {
      "content-length": "3",
      "set-cookie": ["a", "b"],
      connection: "close"
    })
    assert.deepStrictEqual(
      Headers.forClient({ connection: "keep-alive", "content-length": "3" }, { lengthHolds: false }),
      {}
    )
  })
})
