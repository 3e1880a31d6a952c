import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"

const combine = (variables: Record<string, string>, yaml = "") =>
  Settings.combine({}, variables, SettingsFile.parse("q.yaml", yaml))

const cost = (variables: Record<string, string>, yaml?: string) =>
  Result.getOrThrow(combine(variables, yaml)).settings.cost

const lines = (variables: Record<string, string>, yaml?: string) =>
  Result.match(combine(variables, yaml), { onSuccess: () => [], onFailure: (error) => error.lines })

describe("settings of costs", () => {
  it("have the documented defaults", () => {
    assert.deepStrictEqual(cost({}), {
      url: undefined,
      usage: { _tag: "Metrics" },
      usageByCluster: {},
      usageClusterLabel: undefined,
      foldedPrefixes: [],
      accelerators: [],
      sampleSeconds: 60,
      hourlyDays: 100,
      retentionDays: 400
    })
  })

  it("tell sources of usage apart, with credentials out of sight", () => {
    const { usage, usageByCluster } = cost({
      QUARTERDECK_USAGE: "prometheus=https://reader:s3cret@mimir.example/prometheus",
      QUARTERDECK_USAGE_BY_CLUSTER: "lab=requests,prod=metrics,far=prometheus=http://p.example"
    })
    assert.deepInclude(usage, { _tag: "Prometheus", url: "https://mimir.example/prometheus" })
    assert.notInclude(JSON.stringify(usage), "s3cret")
    const { far, lab, prod } = usageByCluster
    assert.deepStrictEqual([lab?._tag, prod?._tag, far?._tag], ["Requests", "Metrics", "Prometheus"])
  })

  it("take an address with a comma from the file", () => {
    const { usageByCluster } = cost({}, "cost:\n  usageByCluster:\n    prod: prometheus=http://p.example/a,b\n")
    assert.deepInclude(usageByCluster["prod"], { url: "http://p.example/a,b" })
  })

  it("keep the password of the history's server out of sight", () => {
    const { url } = cost({ QUARTERDECK_COST_URL: "https://writer:s3cret@ch.example:8443" })
    assert.notInclude(JSON.stringify(url), "s3cret")
    assert.strictEqual(url === undefined ? "" : Redacted.value(url), "https://writer:s3cret@ch.example:8443")
  })

  it.each([
    ["QUARTERDECK_USAGE", "prometheus"],
    ["QUARTERDECK_USAGE", "Metrics"],
    ["QUARTERDECK_USAGE", "prometheus=ftp://s3cret.example"],
    ["QUARTERDECK_USAGE", "prometheus=http://p.example/?s3cret=1"],
    ["QUARTERDECK_USAGE", ""],
    ["QUARTERDECK_USAGE_BY_CLUSTER", "metrics"],
    ["QUARTERDECK_USAGE_BY_CLUSTER", "-prod=metrics"],
    ["QUARTERDECK_USAGE_BY_CLUSTER", "prod=s3cret"],
    ["QUARTERDECK_USAGE_BY_CLUSTER", "prod=metrics,prod=requests"],
    ["QUARTERDECK_USAGE_CLUSTER_LABEL", "a-b"],
    ["QUARTERDECK_COST_URL", "postgres://s3cret@db.example"],
    ["QUARTERDECK_COST_URL", "ch.example:8123"],
    ["QUARTERDECK_COST_ACCELERATORS", "tpu"],
    ["QUARTERDECK_COST_ACCELERATORS", "google.com/"],
    ["QUARTERDECK_COST_ACCELERATORS", "google.com/tpu/s3cret"],
    ["QUARTERDECK_COST_ACCELERATORS", "google.com/tpu,s3cret.kubernetes.io/tpu"],
    ["QUARTERDECK_COST_SAMPLE_SECONDS", "9"],
    ["QUARTERDECK_COST_SAMPLE_SECONDS", "601"],
    ["QUARTERDECK_COST_HOURLY_DAYS", "0"],
    ["QUARTERDECK_COST_RETENTION_DAYS", "3651"]
  ])("refuse %s=%s with one line that names it and not its value", (name, value) => {
    const found = lines({ [name]: value })
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", new RegExp(`^${name}: cost\\.[A-Za-z]+ must be `))
    assert.notInclude(found[0] ?? "", "s3cret")
  })

  it.each([
    "cost: { usage: true }",
    "cost: { usageByCluster: [prod] }",
    "cost: { usageByCluster: { 'a|b': metrics } }",
    "cost: { usageByCluster: { prod: prometheus } }",
    "cost: { url: }\n---\n",
    "cost: { sampleSeconds: '60' }",
    "cost: { retention: 400 }"
  ])("refuse the file %j with one line", (yaml) => {
    assert.lengthOf(lines({}, yaml), 1)
  })

  it("want hours kept no longer than days", () => {
    assert.deepStrictEqual(lines({ QUARTERDECK_COST_RETENTION_DAYS: "30" }), [
      "QUARTERDECK_COST_RETENTION_DAYS: cost.hourlyDays (100) must not be above cost.retentionDays (30)"
    ])
    assert.strictEqual(
      cost({ QUARTERDECK_COST_RETENTION_DAYS: "30", QUARTERDECK_COST_HOURLY_DAYS: "30" }).retentionDays,
      30
    )
  })
})
