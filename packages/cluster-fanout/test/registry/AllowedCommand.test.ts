import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as AllowedCommand from "../../src/registry/AllowedCommand.ts"

const ALLOWED = ["aws eks get-token --cluster-name *", "/opt/login", "  tool  a  * "]
const isAllowed = (...line: ReadonlyArray<string>) => AllowedCommand.isAllowed(ALLOWED, line[0] ?? "", line.slice(1))

describe("AllowedCommand", () => {
  it.each([
    ["aws", "eks", "get-token", "--cluster-name", "prod"],
    ["aws", "eks", "get-token", "--cluster-name", "arn:aws:eks:eu-west-1:123456789012:cluster/prod"],
    ["/opt/login"],
    ["tool", "a", "b"]
  ])("allows %s %s %s", (...line) => {
    assert.isTrue(isAllowed(...line))
  })

  it.each([
    ["aws", "eks", "get-token", "--cluster-name"],
    ["aws", "eks", "get-token", "--cluster-name", ""],
    ["aws", "eks", "get-token", "--cluster-name", "--endpoint-url"],
    ["aws", "eks", "get-token", "--cluster-name", "prod", "--debug"],
    ["aws", "eks", "get-token", "--cluster-name", "file:///etc/passwd"],
    ["aws", "eks", "get-token", "--cluster-name", "https://evil.example"],
    ["aws", "eks", "get-token", "--cluster-name", "/etc/passwd"],
    ["aws", "eks", "get-token", "--cluster-name", "../secret"],
    ["aws", "eks", "get-token", "--cluster-name", "@secret"],
    ["aws", "eks", "get-token", "--cluster-name", "a b"],
    ["aws", "eks", "get-token", "--cluster-name", "a\nb"],
    ["aws eks", "get-token", "--cluster-name", "prod"],
    ["/opt/login", ""],
    ["/opt/login", "x"],
    ["/opt/login "],
    ["*"],
    [""]
  ])("does not allow %s %s %s %s %s", (...line) => {
    assert.isFalse(isAllowed(...line))
  })

  it.prop("allows no argument that begins an option, a path or a file", [Schema.String], ([text]) => {
    for (const begin of ["-", "/", ".", "@", "~", " ", "\n"]) assert.isFalse(isAllowed("tool", "a", begin + text))
    assert.isFalse(isAllowed("tool", "a", `${text}://`))
  })

  it("knows which programs are allowed without arguments", () => {
    assert.deepStrictEqual(AllowedCommand.plain(ALLOWED), ["/opt/login"])
    assert.isFalse(AllowedCommand.isAllowed(["*"], "anything"))
  })
})
