import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { arrayAt, at, type Json, type JsonObject } from "../../src/core/Json.ts"
import * as Protobuf from "../../src/forms/Protobuf.ts"

const varint = (value: number): Buffer =>
  value < 0x80
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value % 0x80) | 0x80]), varint(Math.floor(value / 0x80))])
const bytes = (number: number, content: Buffer | string): Buffer => {
  const body = Buffer.from(content)
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body])
}
const int = (number: number, value: number): Buffer => Buffer.concat([varint(number * 8), varint(value)])
const envelope = (apiVersion: string, kind: string, ...fields: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    bytes(1, Buffer.concat([bytes(1, apiVersion), bytes(2, kind)])),
    bytes(2, Buffer.concat(fields))
  ])
const named = (name: string): Buffer => bytes(1, Buffer.concat([bytes(1, name), bytes(3, "")]))
const entry = (number: number, key: string, value: string): Buffer =>
  bytes(number, Buffer.concat([bytes(1, key), bytes(2, value)]))

const read = (body: Buffer): JsonObject => Result.getOrThrowWith(Protobuf.decode(body), (problem) => new Error(problem))

describe("bodies in protobuf", () => {
  it("are decoded without fields that are unset", () => {
    const container = bytes(2, Buffer.concat([bytes(1, "main"), bytes(2, "r/a:1"), bytes(8, ""), bytes(13, "")]))
    const template = bytes(3, Buffer.concat([bytes(1, entry(11, "app", "web")), bytes(2, container)]))
    const spec = bytes(2, Buffer.concat([int(1, 0), bytes(2, entry(1, "app", "web")), template, int(5, 0), int(7, 0)]))
    assert.deepStrictEqual(read(envelope("apps/v1", "Deployment", named("web"), spec, bytes(3, int(1, 0)))), {
      kind: "Deployment",
      apiVersion: "apps/v1",
      metadata: { name: "web" },
      spec: {
        // An explicit zero differs from an unset field.
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "r/a:1" }] } }
      }
    })
  })

  it("carry bytes as base64, numbers or texts, and large numbers", () => {
    const secret = read(envelope("v1", "Secret", named("s"), entry(2, "key", "value")))
    assert.deepStrictEqual(at(secret, "data"), { key: "dmFsdWU=" })
    const port = (target: Buffer) => bytes(2, bytes(1, Buffer.concat([int(3, 80), bytes(4, target)])))
    const target = (body: Buffer): Json | undefined => {
      const [port] = arrayAt(read(envelope("v1", "Service", named("s"), body)), "spec", "ports")
      return at(port, "targetPort")
    }
    assert.strictEqual(target(port(Buffer.concat([int(1, 0), int(2, 8080), bytes(3, "")]))), 8080)
    assert.strictEqual(target(port(Buffer.concat([int(1, 1), int(2, 0), bytes(3, "http")]))), "http")
    const token = read(envelope("authentication.k8s.io/v1", "TokenRequest", bytes(2, int(4, 4_294_967_296))))
    assert.strictEqual(at(token, "spec", "expirationSeconds"), 4_294_967_296)
  })

  it("with an unknown kind or field are refused", () => {
    for (const body of [
      Buffer.from("{}"),
      envelope("v1", "Widget", named("w")),
      envelope("v1", "ConfigMap", named("c"), bytes(99, "x")),
      envelope("v1", "ConfigMap", named("c")).subarray(0, -1)
    ]) {
      assert.isTrue(Result.isFailure(Protobuf.decode(body)))
    }
  })

  it.effect.prop("carry any texts under any keys", [Schema.Record(Schema.String, Schema.String)], ([data]) =>
    Effect.sync(() => {
      // Texts are UTF-8 on the wire, which cannot encode half of a surrogate pair.
      const whole = Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key.toWellFormed(), value.toWellFormed()])
      )
      const entries = Object.entries(whole).map(([key, value]) => entry(2, key, value))
      const map = read(envelope("v1", "ConfigMap", named("c"), ...entries))
      assert.deepStrictEqual(at(map, "data") ?? {}, whole)
    })
  )
})
