import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClientAddress from "../../src/limits/ClientAddress.ts"
import * as ForwardedScheme from "../../src/limits/ForwardedScheme.ts"

const find = ClientAddress.finder(["10.0.0.0/8"])

/** Reads both headers as the server does. */
const schemeOf = (peer: string, forwardedProto: ReadonlyArray<string>, forwardedFor: ReadonlyArray<string> = []) =>
  ForwardedScheme.of(forwardedProto, find(peer, forwardedFor).proxies)

describe("the scheme that a client came by", () => {
  it.each<[string, string, ReadonlyArray<string>, ReadonlyArray<string>, "http" | "https" | undefined]>([
    ["what a stranger writes is not read", "198.51.100.7", ["https"], [], undefined],
    ["what a trusted proxy writes", "10.1.2.3", ["https"], ["203.0.113.9"], "https"],
    ["a client of it that came by plain HTTP", "10.1.2.3", ["http"], ["203.0.113.9"], "http"],
    ["capitals and blanks", "10.1.2.3", ["\tHTTPS "], [], "https"],
    ["a trusted proxy that writes none", "10.1.2.3", [], [], undefined],
    ["what is no scheme", "10.1.2.3", ["wss"], [], undefined],
    ["two proxies that hand on one entry", "10.1.2.3", ["https"], ["203.0.113.9, 10.9.9.9"], "https"],
    ["two proxies that add one each", "10.1.2.3", ["https, http"], ["203.0.113.9, 10.9.9.9"], "https"],
    ["several lines are one list", "10.1.2.3", ["https", "http"], ["203.0.113.9, 10.9.9.9"], "https"],
    ["what the client wrote before is not read", "10.1.2.3", ["https, http"], ["203.0.113.9"], "http"]
  ])("%s", (_name, peer, forwardedProto, forwardedFor, scheme) => {
    assert.strictEqual(schemeOf(peer, forwardedProto, forwardedFor), scheme)
  })

  const Text = Schema.String.check(Schema.isPattern(/^[a-z, ]{0,30}$/))
  it.prop(
    "no client changes it by what it writes itself",
    [Schema.Array(Text), Schema.Array(Text)],
    ([proto, before]) => {
      const told = ["http"]
      assert.strictEqual(schemeOf("10.1.2.3", [...proto, ...told], [...before, "203.0.113.9"]), "http")
      assert.isUndefined(schemeOf("203.0.113.9", proto, before))
    }
  )
})
