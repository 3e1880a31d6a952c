import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClusterErrors from "../../src/kube/ClusterError.ts"
import * as Coverage from "../../src/kube/Coverage.ts"
import { failureOf } from "../../src/list/FanOut.ts"

const cluster = ClusterName.make("c1")
const of = (reason: ClusterErrors.ClusterError["reason"]) =>
  Coverage.fromError(new ClusterErrors.ClusterError({ cluster, reason }), { source: "live", latencyMs: 12 })

const ok: Coverage.Coverage = { name: cluster, status: "ok", source: "cache", count: 1, ageMs: 0, latencyMs: 1 }
const with_ = (status: Coverage.Status): Coverage.Coverage => ({ ...ok, status })
const address = "https://10.0.0.1:6443"

describe("Coverage", () => {
  it.each<[string, string, ClusterErrors.ClusterError["reason"]]>([
    ["timeout", "cluster_timeout", new ClusterErrors.ClusterTimeout({ timeoutMs: 3000 })],
    ["unreachable", "cluster_unreachable", new ClusterErrors.ClusterUnreachable({ code: "ECONNREFUSED" })],
    [
      "unreachable",
      "cluster_certificate_invalid",
      new ClusterErrors.ClusterCertificateInvalid({ code: "CERT_HAS_EXPIRED" })
    ],
    ["unauthorized", "cluster_unauthorized", new ClusterErrors.ClusterUnauthorized()],
    [
      "unauthorized",
      "cluster_credential_unavailable",
      new ClusterErrors.ClusterCredentialUnavailable({ problem: `no ${address}` })
    ],
    ["forbidden", "cluster_forbids", new ClusterErrors.ClusterForbids({ verb: "list", resource: "pods" })],
    ["throttled", "cluster_throttled", new ClusterErrors.ClusterThrottled({ retryAfterMs: 500 })],
    ["unsupported", "cluster_unsupported", new ClusterErrors.ClusterUnsupported({ resource: "cronjobs" })],
    ["error", "cluster_expired", new ClusterErrors.ClusterExpired()],
    [
      "error",
      "cluster_answer_invalid",
      new ClusterErrors.ClusterAnswerInvalid({ status: 500, problem: `at ${address}` })
    ],
    ["error", "cluster_answer_invalid", new ClusterErrors.ClusterAnswerInvalid({ problem: `at ${address}` })]
  ])("tells a failure as %s, %s, without an address", (status, code, reason) => {
    const coverage = of(reason)
    assert.strictEqual(coverage.status, status)
    assert.strictEqual(coverage.error?.code, code)
    assert.isTrue(coverage.error?.message.startsWith("cluster c1 "))
    assert.notInclude(JSON.stringify(coverage), "10.0.0.1")
    assert.isTrue(Schema.is(Coverage.Coverage)(coverage))
    assert.isFalse(Coverage.answered(coverage))
  })

  it("hands on how long a throttling cluster wants to be left alone", () => {
    assert.strictEqual(of(new ClusterErrors.ClusterThrottled({ retryAfterMs: 500 })).error?.retryAfterMs, 500)
    assert.isUndefined(of(new ClusterErrors.ClusterThrottled({})).error?.retryAfterMs)
  })

  it("counts stale rows as an answer that is not partial", () => {
    assert.isFalse(Coverage.isPartial([ok, with_("stale")]))
    assert.isUndefined(failureOf([with_("stale"), with_("timeout")]))
  })

  it("is partial when a cluster or a kind is missing", () => {
    assert.isTrue(Coverage.isPartial([ok, with_("timeout")]))
    assert.isTrue(Coverage.isPartial([{ ...ok, missingKinds: ["Job"] }]))
  })

  it.each<[ReadonlyArray<Coverage.Status>, string | undefined]>([
    [[], undefined],
    [["ok"], undefined],
    [["timeout", "timeout"], "cluster_timeout"],
    [["throttled"], "cluster_throttled"],
    [["timeout", "throttled"], "cluster_unreachable"],
    [["unauthorized"], "cluster_unreachable"],
    [["forbidden", "ok"], undefined]
  ])("names the failure of %j as %s", (statuses, code) => {
    assert.strictEqual(failureOf(statuses.map(with_))?.code, code)
  })
})
