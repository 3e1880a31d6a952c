import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { LONGEST_MESSAGE, mask } from "../../src/kube/Masking.ts"

const masked = (text: string, secrets: ReadonlyArray<string> = []) => mask(text, { secrets, limit: 200 })

const bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(18),
  Schema.isMaxLength(64)
)

/** Hash of a pod template, random end of a pod's name, name of an application. */
const GENERATED = Schema.Tuple([
  Schema.String.check(Schema.isPattern(/^[bcdfghjklmnpqrstvwxz2456789]{8,10}$/)),
  Schema.String.check(Schema.isPattern(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)),
  Schema.Literals(["prod-pay-api", "web", "checkout-service", "kube-state-metrics", "ingress-nginx-controller"])
])

const KINDS = ["bearer", "jwt", "basic", "password", "pem", "cloud", "token", "quoted", "cookie"] as const
const planted = Schema.Struct({
  kind: Schema.Literals(KINDS),
  random: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
    Schema.isMinLength(24),
    Schema.isMaxLength(96)
  ),
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
})
/** So many characters in a row give a secret away. */
const PIECE = 6

const secretOf = (kind: (typeof KINDS)[number], random: ReadonlyArray<number>): { secret: string; text: string } => {
  // Spread, so that small numbers make no runs of one letter.
  const spread = createHash("sha512").update(Buffer.from(random)).digest()
  const token = Buffer.concat([spread, Buffer.from(random)])
    .toString("base64url")
    .slice(0, random.length)
  switch (kind) {
    case "bearer":
      return { secret: token, text: `Authorization: Bearer ${token}` }
    case "jwt":
      return { secret: token, text: `eyJhbGciOiJSUzI1NiJ9.${token}.${token}` }
    case "basic":
      return { secret: token, text: `https://robot:${token}@registry.test/v2/` }
    case "password":
      return { secret: token, text: `DB_PASSWORD=${token}` }
    case "quoted":
      return { secret: token, text: `{"client_secret": "${token.slice(0, 9)} ${token.slice(9)}"}` }
    case "pem": {
      const body =
        spread
          .toString("base64")
          .match(/.{1,16}/g)
          ?.join("\n") ?? ""
      return {
        secret: body.replaceAll("\n", " "),
        text: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`
      }
    }
    case "cloud": {
      const key = `AKIA${spread.toString("hex").toUpperCase().slice(0, 16)}`
      return { secret: key, text: key }
    }
    case "token":
      return { secret: token, text: token }
    case "cookie":
      return { secret: token, text: `Cookie: theme=dark; session=${token}` }
  }
}

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
    ['{\\"password\\":\\"pass word\\",\\"user\\":1}', '{\\"password\\":***,\\"user\\":1}'],
    ["postgres://app:a/b@c@db.prod:5432/x refused", "postgres://***@db.prod:5432/x refused"],
    ["Cookie: theme=dark; session=abc; refused", "Cookie: ***; refused"],
    ['tokens: ["abc", "def"] refused', "tokens: *** refused"],
    ["--docker-password=x,y --server=z", "--docker-password=*** --server=z"],
    ['the password is "hunter2"', "the password is ***"],
    ["eyJhbGciOiJub25l.e30. refused", "*** refused"],
    ["key AKIAIOSFODNN7EXAMPLE refused", "key *** refused"],
    ["red \u001b[31m, and \u202ereversed", "red  [31m, and  reversed"]
  ])("%s is shown without its secret", (text, told) => {
    assert.strictEqual(masked(text), told)
  })

  it.each([
    'deployments.apps "web-7d4b9c6f5d-x2x9k" is forbidden: exceeded quota',
    "the token has expired",
    "failed calling webhook validating-webhook-configuration.policy.example.com",
    "persistentvolumeclaims: PersistentVolumeClaimResizing in payments-production-europe-west",
    "open /var/run/secrets/kubernetes.io/serviceaccount: no such file"
  ])("%s is shown unchanged", (text) => {
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
    "ReplicaSet prod-pay-api-7c9d8f6b5d has timed out; pod=prod-pay-api-7c9d8f6b5d-x2x9k_prod is backed off",
    String.raw`pods \"prod-pay-api-7c9d8f6b5d-x2x9k\" not found; event prod-pay-api-7c9d8f6b5d-x2x9k.17a2b3c4d5e6f708`,
    "/var/lib/kubelet/pods/0f3d9c1e-8f5b-4a52-9d1c-7a0b6c5d4e3f/volumes/kubernetes.io~projected/kube-api-access",
    "couldn't find key DB_PASSWORD in Secret default/app-secrets-v2",
    "registry.test:5000/team/app:v1.2.3-20240101-abcdef1 at 2026-05-01T12:34:56.123456789Z after 1h2m3.123456789s",
    "dial tcp [fd00:10:96::1]:8443 and 10.42.0.17:8080 at resourceVersion 18446744073709551615",
    `containerd://${"3f".repeat(32)} of ghcr.io/org/app@sha256:${"a1".repeat(32)} and sha512:${"b2".repeat(64)}`,
    "节点资源不足无法调度容器请检查集群状态并联系管理员处理这个问题",
    "kubectl.kubernetes.io/last-applied-configuration failure-domain.beta.kubernetes.io/region"
  ])("names stay: %s", (names) => {
    assert.strictEqual(mask(names, { secrets: [], limit: 1_000 }), names)
  })

  it.prop("keeps every name that Kubernetes generates, every digest and UID", [GENERATED, bytes], ([ends, numbers]) => {
    const [hash, random, app] = ends
    const hex = Buffer.from(numbers).toString("hex").padEnd(64, "0").slice(0, 64)
    const uid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    const texts = [`${app}-${hash}`, `${app}-${hash}-${random}`, `${app}-${random}`, `${app}@sha256:${hex}`, uid]
    for (const text of texts)
      assert.strictEqual(mask(`saw "${text}" and ${text} there`), `saw "${text}" and ${text} there`)
  })

  it.prop("leaves nothing of a secret, wherever it stands and wherever the text is cut", [planted], ([plant]) => {
    const { at, kind, random } = plant
    const { secret, text } = secretOf(kind, random)
    const filler = "the pod waits for a node ".repeat(400)
    // The last blank before, so that the secret begins a word.
    const before = filler.slice(0, filler.lastIndexOf(" ", at) + 1)
    for (const limit of [LONGEST_MESSAGE, 8_192]) {
      const told = mask(`${before}${text} ${filler}`, { limit })
      assert.isAtMost(Buffer.byteLength(told), limit)
      for (let from = 0; from + PIECE <= secret.length; from++) {
        assert.notInclude(told, secret.slice(from, from + PIECE))
      }
    }
  })

  it("drops the word that the first cut broke", () => {
    const filler = "ok ".repeat(1_360)
    assert.notInclude(mask(`${filler}https://me:hunter2hunter2@idp.test/`, { limit: 8_192 }), "hunter")
    assert.strictEqual(mask("x".repeat(5_000)), "…")
    const known = mask(`${"ok ".repeat(1_364)}my long secret phrase ok`, {
      limit: 8_192,
      secrets: ["long secret phrase"]
    })
    assert.notInclude(known, "long")
    // Masking makes the text shorter: what the window broke must not move before the cut.
    const phrase = "a phrase of several words that is secret"
    assert.notInclude(mask(`${phrase} `.repeat(200), { limit: 8_192, secrets: [phrase] }), "phrase")
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
