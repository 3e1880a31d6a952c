import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Duration, Option, Schema } from "effect"
import { delimiter } from "node:path"
import * as Kind from "../../src/settings/Kind.ts"

const read = <A>(kind: Kind.Kind<A>, text: string) => Option.getOrUndefined(Kind.decode(kind.fromText, text))

describe("Kind", () => {
  it.prop("a whole number is read from its plain digits, inside its range alone", [Schema.Int], ([value]) => {
    const expected = value >= 0 && value <= 65_535 ? value : undefined
    assert.strictEqual(read(Kind.wholeNumber(0, 65_535), String(value)), expected)
    assert.strictEqual(Option.getOrUndefined(Kind.decode(Kind.wholeNumber(0, 65_535).fromYaml, value)), expected)
  })

  it.prop(
    "a list of paths is read back from the text that joins them",
    [Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^[^:;\0]+$/)))],
    ([paths]) => {
      assert.deepStrictEqual(read(Kind.pathList, paths.join(delimiter)), [...paths])
    }
  )

  it.prop(
    "names of clusters are read back from the text that joins them",
    [Schema.Record(Schema.String.check(Schema.isPattern(/^[^,]+$/)), ClusterName)],
    ([names]) => {
      const text = Object.entries(names)
        .map(([context, name]) => `${context}=${name}`)
        .join(",")
      const expected = Object.keys(names).length === 0 ? undefined : names
      assert.deepStrictEqual(read(Kind.clusterNames, text), expected)
    }
  )

  it.each(["a", "=a", "a=", "a=b,", "a=b,a=c", "a=b|c", ""])("refuses %j as names of clusters", (text) => {
    assert.isUndefined(read(Kind.clusterNames, text))
  })

  it.each([
    ["1d", 1],
    ["90d", 90],
    ["1y", 365],
    ["10y", 3_650]
  ])("reads the lifetime %s as %d days", (text, days) => {
    const lifetime = read(Kind.lifetime, text)
    assert.strictEqual(lifetime === undefined ? undefined : Duration.toDays(lifetime), days)
  })

  it.each(["127.0.0.1", "::1", "::", "localhost", "a.b-c.example"])("takes %s as an address to listen on", (text) => {
    assert.strictEqual(read(Kind.host, text), text)
  })

  it.each(["X-Service-Cluster", "x-target", "Cluster"])("takes %s as the name of the cluster header", (text) => {
    assert.strictEqual(read(Kind.headerName, text), text)
  })

  it.each([
    "Authorization",
    "host",
    "Cookie",
    "Set-Cookie",
    "Content-Type",
    "content-anything",
    "X-Forwarded-For",
    "Accept",
    "Origin",
    "Sec-Fetch-Site",
    "Transfer-Encoding",
    "Idempotency-Key",
    "X-Request-Id",
    "a b",
    "a:b",
    "",
    "é"
  ])("refuses %j as the name of the cluster header", (header) => {
    assert.isUndefined(read(Kind.headerName, header))
  })
})
