import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { mask } from "../../src/kube/Masking.ts"

const masked = (text: string, secrets: ReadonlyArray<string> = []) => mask(text, { secrets, limit: 200 })

const bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(18),
  Schema.isMaxLength(64)
)

describe("what a cluster or a plugin says", () => {
  it.each([
    ["login failed with token=abc123", "login failed with token=***"],
    ['{"password": "pass word", "user": "me"}', '{"password": ***, "user": "me"}'],
    ["Authorization: Bearer abc", "Authorization: ***"],
    ["authorization=Basic bWU6cHc= was refused", "authorization=*** was refused"],
    ["you sent Bearer abc", "you sent Bearer ***"],
    [
      "no access for https://me:hunter2@idp.test/token?client_secret=s3",
      "no access for https://***@idp.test/token?client_secret=***"
    ],
    ["bootstrap abcdef.0123456789abcdef is unknown", "bootstrap *** is unknown"],
    ["AWS_SECRET_ACCESS_KEY: wJalr/bPx", "AWS_SECRET_ACCESS_KEY: ***"],
    ["password hunter2 is wrong", "password *** is wrong"],
    ["the server saw A5IHDAINAY-ICQMEDQG1_QEH", "the server saw ***"],
    ["the server saw QbpCdmxsJladigkQuocAykmq", "the server saw ***"],
    ["the server saw Vaocbrua-17xenod_7biu7_A", "the server saw ***"],
    ["the server saw EWECRFI/Xru/NTKUTH/EJZDM", "the server saw ***"],
    ["the server saw tkqzvwpxgfbhrmlcnjdswqzk", "the server saw ***"],
    ["-----BEGIN RSA PRIVATE KEY----- MIIE abc -----END RSA PRIVATE KEY----- refused", "*** refused"],
    ["red \u001b[31m, and \u202ereversed", "red  [31m, and  reversed"]
  ])("%s is told without its secret", (text, told) => {
    assert.strictEqual(masked(text), told)
  })

  it.each([
    'deployments.apps "web-7d4b9c6f5d-x2x9k" is forbidden: exceeded quota',
    "the token has expired",
    "failed calling webhook validating-webhook-configuration.policy.example.com",
    "persistentvolumeclaims: PersistentVolumeClaimResizing in payments-production-europe-west",
    "open /var/run/secrets/kubernetes.io/serviceaccount: no such file"
  ])("%s is told as it is", (text) => {
    assert.strictEqual(masked(text), text)
  })

  it.each([
    "persistentvolumeclaims validatingadmissionpolicybindings horizontalpodautoscalers mutatingwebhookconfigurations",
    "customresourcedefinitions.apiextensions.k8s.io selfsubjectaccessreviews.authorization.k8s.io",
    "certificatesigningrequests rabbitmqclusters.rabbitmq.com postgresqlclusters mysqlinnodbclusters ciliumbgppeeringpolicies",
    "httproutes.gateway.networking.k8s.io envoyfilters.networking.istio.io backendtlspolicies secretproviderclasses",
    "ValidatingAdmissionPolicyBinding HorizontalPodAutoscaler CertificateSigningRequest LocalSubjectAccessReview",
    "FailedToCreateEndpoint FailedGetResourceMetric ProgressDeadlineExceeded CreateContainerConfigError",
    "terminationGracePeriodSeconds allowPrivilegeEscalation requiredDuringSchedulingIgnoredDuringExecution",
    "cert-manager-webhook-5f9d7c8b6d-lk8zj istio-ingressgateway-7b9d8f6c5-8xk2z backup-nightly-28391234-x2x9k",
    "ip-10-0-12-34.eu-west-1.compute.internal gke-prod-default-pool-1a2b3c4d-x9z8 aks-nodepool1-12345678-vmss000001",
    "pvc-0f3d9c1e-8f5b-4a52-9d1c-7a0b6c5d4e3f sh.helm.release.v1.ingress-nginx.v12 registry.k8s.io/kube-apiserver",
    "ERR_TLS_CERT_ALTNAME_INVALID UNABLE_TO_VERIFY_LEAF_SIGNATURE DEPTH_ZERO_SELF_SIGNED_CERT UND_ERR_CONNECT_TIMEOUT",
    "https://kubernetes.default.svc.cluster.local /apis/apps/v1/namespaces/payments/deployments/checkout-service",
    "kubectl.kubernetes.io/last-applied-configuration failure-domain.beta.kubernetes.io/region"
  ])("names stay: %s", (names) => {
    assert.strictEqual(mask(names, { secrets: [], limit: 1_000 }), names)
  })

  it("holds none of 20,000 tokens of 18 random bytes", () => {
    for (let token = 0; token < 20_000; token++) {
      const text = randomBytes(18).toString(token % 2 === 0 ? "base64url" : "base64")
      assert.notInclude(masked(`the server saw ${text} and refused`), text)
    }
  })

  it.prop("holds no random token, however it is spelt", [bytes], ([numbers]) => {
    const random = Buffer.from(numbers)
    // Bytes that are all alike are no token.
    if (new Set(numbers).size < 12) return
    for (const encoding of ["base64", "base64url", "hex"] as const) {
      const token = random.toString(encoding)
      assert.notInclude(masked(`the server saw ${token} and refused`), token)
      assert.notInclude(masked(`refused:"${token}"`), token.replace(/=+$/, ""))
    }
  })

  it.prop("holds no secret that is known, and is bounded", [Schema.String, bytes], ([text, numbers]) => {
    const secret = Buffer.from(numbers)
      .toString("latin1")
      .replaceAll(/[^ -~]/g, "x")
    const told = mask(`${text} ${secret} ${text}`, { secrets: [secret], limit: 50 })
    assert.notInclude(told, secret.trim())
    assert.isAtMost(told.length, 50)
    assert.notMatch(told, /[\p{Cc}\u2028\u2029]/u)
  })
})
