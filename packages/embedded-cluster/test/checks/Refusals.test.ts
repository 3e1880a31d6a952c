import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parse as parseYaml } from "yaml"
import { isTime } from "../../src/core/GoTime.ts"
import { arrayAt, at, checked, textAt } from "../../src/core/Json.ts"
import { configMap, patching, started } from "../Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"

describe("writes of clients", () => {
  it.effect("422 if a patch makes a value of the wrong type, and the object is unchanged", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: configMap("a") })
      const patches = [
        [patching({ metadata: { labels: { a: true } } }), "metadata.labels.a must be a string"],
        [patching({ data: "x" }), "data must be an object"],
        [
          { body: '[{"op":"add","path":"/data/z","value":5}]', type: "application/json-patch+json" },
          "data.z must be a string"
        ]
      ] as const
      for (const [patch, problem] of patches) {
        const { json, status } = yield* call("PATCH", `${MAPS}/a`, patch)
        assert.strictEqual(status, 422)
        assert.include(textAt(json, "message"), problem)
      }
      const { json } = yield* call("GET", `${MAPS}/a`)
      assert.deepStrictEqual(at(json, "data"), { key: "value" })
    })
  )

  it.effect("a generated name is a valid label, however long its prefix is", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const { json } = yield* call("POST", MAPS, { body: { metadata: { generateName: "a".repeat(70) } } })
      assert.match(textAt(json, "metadata", "name"), /^a{58}[a-z0-9]{5}$/)
    })
  )

  it.effect("each port of a service gets a node port of its own", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const ports = [80, 81, 82].map((port) => ({ name: `p${port}`, port }))
      const body = { metadata: { name: "s" }, spec: { type: "NodePort", ports } }
      const { json } = yield* call("POST", "/api/v1/namespaces/default/services", { body })
      const given = arrayAt(json, "spec", "ports").map((port) => at(port, "nodePort"))
      assert.strictEqual(new Set(given).size, 3)
    })
  )

  it.effect("a client that defines CEL rules is warned that they are not evaluated", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const spec = { type: "object", "x-kubernetes-validations": [{ rule: "true" }] }
      const openAPIV3Schema = { type: "object", properties: { spec } }
      const body = {
        metadata: { name: "widgets.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "widgets", kind: "Widget" },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }]
        }
      }
      const made = yield* call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body })
      assert.strictEqual(made.status, 201)
      assert.match(String(made.headers["warning"]), /x-kubernetes-validations: .* does not evaluate/)
    })
  )

  it.effect("YAML replies equal JSON replies, including failures and lists", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: configMap("a", {}, { y: "yes", n: "1", lines: "a\nb" }) })
      for (const path of [`${MAPS}/a`, `${MAPS}/none`, `${MAPS}?limit=5`, "/apis/policy/v1"]) {
        const json = yield* call("GET", path)
        const yaml = yield* call("GET", path, { accept: "application/yaml" })
        assert.strictEqual(yaml.type, "application/yaml")
        assert.strictEqual(yaml.status, json.status)
        assert.deepStrictEqual(checked(parseYaml(yaml.text, { version: "1.1" })), json.json)
      }
      const preferred = yield* call("GET", `${MAPS}/a`, { accept: "application/json, application/yaml" })
      assert.strictEqual(preferred.type, "application/json")
      assert.strictEqual((yield* call("GET", `${MAPS}?watch=1`, { accept: "application/yaml" })).status, 406)
    })
  )
})

describe("times", () => {
  const instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))
  const short = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 18 }))

  it.prop("every printed instant is a time, and no truncated text is", [instant, short], ([ms, cut]) => {
    const text = new Date(ms).toISOString()
    assert.isTrue(isTime(text, "seconds"))
    assert.isTrue(isTime(text.replace("Z", "000Z"), "micros"))
    assert.isFalse(isTime(text.slice(0, cut), "seconds"))
  })
})
