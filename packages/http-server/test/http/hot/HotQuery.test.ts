import { assert, describe, it } from "@effect/vitest"
import { podParameters } from "@quarterdeck/contract/PodsGroup"
import { Schema } from "effect"
import * as HotQuery from "../../../src/http/hot/HotQuery.ts"

const { read } = HotQuery.reader(Schema.Struct(podParameters))

const Name = Schema.Literals(["namespace", "name", "node", "status", "limit", "sort", "order", "cursor", "unknown"])
const Query = Schema.Array(
  Schema.Tuple([Name, Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9 äß+&=?#%;/.-]{0,8}$/u))])
).check(Schema.isMaxLength(5))

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : [String(value)])

describe("the query of a list, read in one step", () => {
  it.prop("is what a form's reader reads, or is left to the ordinary way", [Query], ([pairs]) => {
    const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
    const query = read(`/api/v1/pods?${text}`)
    if (query === undefined) return
    const parameters = new URLSearchParams(text)
    assert.deepStrictEqual(Object.keys(query).toSorted(), [...new Set(parameters.keys())].toSorted())
    for (const [name, value] of Object.entries(query)) assert.deepStrictEqual(listOf(value), parameters.getAll(name))
  })

  it.each([
    ["/api/v1/pods", {}],
    ["/api/v1/pods?", {}],
    ["/api/v1/pods?limit=5&sort=node", { limit: 5, sort: "node" }],
    ["/api/v1/pods?namespace=a&namespace=b", { namespace: ["a", "b"] }],
    ["/api/v1/pods?workload=Deployment%2Fweb", { workload: "Deployment/web" }],
    ["/api/v1/pods?name=%C3%A4", { name: "ä" }],
    ["/api/v1/pods?limit=5&cursor=a.b", { limit: 5, cursor: "a.b" }],
    ["/api/v1/pods?cursor=a.b", { cursor: "a.b" }],
    ["/api/v1/pods?cursor=a.b&limit=5", { limit: 5, cursor: "a.b" }]
  ])("reads %s", (url, expected) => {
    assert.deepEqual(read(url), expected)
  })

  it.each([
    "/api/v1/pods?name=a+b",
    "/api/v1/pods?name=%FF",
    "/api/v1/pods?name=%",
    "/api/v1/pods?name",
    "/api/v1/pods?name=",
    "/api/v1/pods??name=a",
    "/api/v1/pods?name=a&",
    "/api/v1/pods?&name=a",
    "/api/v1/pods?name=a=b",
    "/api/v1/pods?name=a#b",
    "/api/v1/pods?name=a;b",
    "/api/v1/pods?limit=5&limit=6",
    "/api/v1/pods?__proto__=x",
    "/api/v1/pods?kind=Pod",
    "/api/v1/pods?limit=0",
    "/api/v1/pods?limit=5&cursor=a&cursor=b",
    "/api/v1/pods?cursor=a&limit=5&cursor=b",
    "/api/v1/pods?limit=5&cursor=",
    "/api/v1/pods?limit=5&cursor=a%20b",
    "/api/v1/pods?limit=0&cursor=a.b"
  ])("leaves %s to the ordinary way", (url) => {
    assert.isUndefined(read(url))
  })
})
