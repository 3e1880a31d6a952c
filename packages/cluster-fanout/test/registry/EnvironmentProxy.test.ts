import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EnvironmentProxy from "../../src/registry/EnvironmentProxy.ts"

const PROXY = "http://proxy.test:3128"
const find = (server: string, noProxy = "", proxy = PROXY) =>
  EnvironmentProxy.find(server, { HTTPS_PROXY: proxy, NO_PROXY: noProxy })

describe("the proxy of the environment", () => {
  it("is HTTPS_PROXY for https servers and HTTP_PROXY for http ones, lower case first", () => {
    const variables = { HTTPS_PROXY: PROXY, HTTP_PROXY: "http://plain.test", https_proxy: "socks5://small.test" }
    assert.strictEqual(EnvironmentProxy.find("https://a.test", variables), "socks5://small.test")
    assert.strictEqual(EnvironmentProxy.find("http://a.test", variables), "http://plain.test")
    assert.strictEqual(EnvironmentProxy.find("https://a.test", { HTTP_PROXY: PROXY }), undefined)
    assert.strictEqual(find("https://a.test", "", "proxy.test:3128"), PROXY)
  })

  it.each(["https://localhost:6443", "https://127.0.0.1:6443", "https://127.9.9.9", "https://[::1]:6443"])(
    "is not used for %s, which is this machine",
    (server) => {
      assert.isUndefined(find(server))
    }
  )

  it.each([
    ["*", "https://a.test", true],
    ["a.test", "https://a.test:6443", true],
    ["a.test", "https://b.a.test", true],
    ["a.test", "https://ba.test", false],
    [".a.test", "https://b.a.test", true],
    [".a.test", "https://a.test", false],
    ["*.a.test", "https://b.a.test", true],
    ["A.TEST", "https://a.test", true],
    ["x.test, a.test", "https://a.test", true],
    ["a.test:6443", "https://a.test:6443", true],
    ["a.test:443", "https://a.test", true],
    ["a.test:6443", "https://a.test", false],
    ["10.0.0.0/8", "https://10.1.2.3:6443", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/8", "https://ten.test", false],
    ["10.0.0.1", "https://10.0.0.1", true],
    ["10.0.0.1:6443", "https://10.0.0.1:6443", true],
    ["fd00::/8", "https://[fd00::1]:6443", true],
    ["[fd00::1]:6443", "https://[fd00:0::1]:6443", true],
    ["fd00::1", "https://[fd00::1]", true],
    ["10.0.0.0/99", "https://10.0.0.1", false],
    ["a.test.", "https://b.test", false],
    [" , ,", "https://a.test", false]
  ])("NO_PROXY %s leaves out %s: %s", (noProxy, server, isLeftOut) => {
    assert.strictEqual(find(server, noProxy), isLeftOut ? undefined : PROXY)
  })

  it.prop("never fails, whatever the variables hold", [Schema.String, Schema.String], ([noProxy, value]) => {
    const proxy = find("https://a.test", noProxy, value)
    assert.isTrue(proxy === undefined || proxy.endsWith(value.trim()))
  })
})
