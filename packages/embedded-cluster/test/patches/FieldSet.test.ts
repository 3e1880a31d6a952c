import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { equals } from "../../src/core/Json.ts"
import * as FieldSet from "../../src/patches/FieldSet.ts"
import { reference } from "../../src/schemas/KindSchema.ts"

const POD = reference("io.k8s.api.core.v1.Pod")
const SPEC = reference("io.k8s.api.core.v1.PodSpec")

const Path = Schema.NonEmptyArray(Schema.Literals(["f:a", "f:b", "f:c", 'k:{"name":"x"}']))
const Paths = Schema.Array(Path)
const same = (left: FieldSet.FieldSet, right: FieldSet.FieldSet) => equals(FieldSet.toV1(left), FieldSet.toV1(right))

describe("FieldSet", () => {
  it("names the fields of an object as the real server does", () => {
    const set = FieldSet.fromObject(POD, {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "a", image: "1", ports: [{ containerPort: 80 }] }], nodeSelector: { disk: "ssd" } }
    })
    assert.deepStrictEqual(FieldSet.toV1(set), {
      "f:metadata": { "f:labels": { "f:app": {} } },
      "f:spec": {
        "f:containers": {
          'k:{"name":"a"}': {
            ".": {},
            "f:name": {},
            "f:image": {},
            "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } }
          }
        },
        "f:nodeSelector": {}
      }
    })
  })

  it("an empty list that merges by item sets no field, an empty atomic list sets itself", () => {
    const set = FieldSet.fromObject(SPEC, { containers: [], tolerations: [], nodeSelector: {} })
    assert.deepStrictEqual(FieldSet.toV1(set), { "f:tolerations": {}, "f:nodeSelector": {} })
  })

  it("prints a path in the format of conflicts", () => {
    assert.strictEqual(
      FieldSet.print(["f:spec", "f:containers", 'k:{"name":"web"}', "f:image"]),
      '.spec.containers[name="web"].image'
    )
  })

  it.prop("survives its wire form", [Paths], ([paths]) => {
    const set = FieldSet.fromPaths(paths)
    assert.isTrue(FieldSet.isEmpty(set) || same(FieldSet.fromV1(FieldSet.toV1(set)), set))
  })

  it.prop("union and difference behave as for sets", [Paths, Paths], ([one, other]) => {
    const [left, right] = [FieldSet.fromPaths(one), FieldSet.fromPaths(other)]
    const both = FieldSet.union(left, right)
    assert.isTrue(same(FieldSet.union(right, left), both))
    assert.isTrue(same(FieldSet.union(FieldSet.difference(left, right), FieldSet.intersection(left, right)), left))
    assert.isTrue(FieldSet.isEmpty(FieldSet.difference(left, both)))
    assert.isTrue(FieldSet.isEmpty(FieldSet.intersection(FieldSet.difference(left, right), right)))
  })
})
