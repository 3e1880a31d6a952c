import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as McpMessage from "../../../src/cli/mcp/McpMessage.ts"

describe("McpMessage", () => {
  it("tells requests from notifications", () => {
    assert.deepInclude(Result.getOrThrow(McpMessage.parse('{"jsonrpc":"2.0","id":7,"method":"ping"}')), {
      id: 7,
      method: "ping"
    })
    assert.deepInclude(Result.getOrThrow(McpMessage.parse('{"jsonrpc":"2.0","method":"notifications/initialized"}')), {
      id: undefined
    })
  })

  it.each(["", "{", "7", "null", '"text"', "[]"])("takes no message out of %j", (line) => {
    assert.isTrue(Result.isFailure(McpMessage.parse(line)))
  })

  it("repeats in headers what a message of the newest revision says, and nothing of an earlier", () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
    const call = McpMessage.of({ id: 1, method: "tools/call", params: { name: "whoami", _meta } })
    assert.deepStrictEqual(McpMessage.headersOf(call), {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "whoami"
    })
    assert.deepStrictEqual(McpMessage.headersOf(McpMessage.of({ id: 1, method: "tools/list", params: { _meta } })), {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list"
    })
    assert.deepStrictEqual(McpMessage.headersOf(McpMessage.of({ id: 1, method: "tools/list", params: {} })), {})
  })

  it.prop("names of any text pass through a header and back", [Schema.String], ([name]) => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
    const header =
      McpMessage.headersOf(McpMessage.of({ method: "tools/call", params: { name, _meta } }))["mcp-name"] ?? ""
    const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1]
    assert.match(header, /^[\x20-\x7e]*$/)
    assert.strictEqual(
      encoded === undefined ? header : Buffer.from(encoded, "base64").toString(),
      Buffer.from(name).toString()
    )
  })
})
