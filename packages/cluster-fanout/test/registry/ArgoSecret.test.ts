import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { read } from "../../src/registry/ArgoSecret.ts"

const rules = {
  addressRule: { allowLoopback: false },
  allowedCommands: [
    "argocd-k8s-auth aws --cluster-name * --role-arn *",
    "/opt/login",
    "kubelogin get-token --login azurecli"
  ]
}
const PEM = Buffer.from("-----BEGIN X-----").toString("base64")
const base64 = (text: string) => Buffer.from(text).toString("base64")

const secretOf = (config: unknown, { labels = {}, name = "prod", server = "https://10.0.0.1" } = {}) => ({
  metadata: { name: "cluster", labels: { "argocd.argoproj.io/secret-type": "cluster", ...labels } },
  data: { name: base64(name), server: base64(server), config: base64(JSON.stringify(config)) }
})

const got = (secret: unknown) => {
  const found = read(secret, rules)
  if (found === undefined) return assert.fail("it is no cluster")
  return Result.isSuccess(found) ? found.success : assert.fail(found.failure.message)
}
const problemOf = (secret: unknown) => {
  const found = read(secret, rules)
  return found !== undefined && Result.isFailure(found) ? found.failure : assert.fail("it can be used")
}

describe("a Secret of Argo CD", () => {
  it("has a bearer token, an authority and labels of its own", () => {
    const { connection, labels, name } = got(
      secretOf(
        {
          bearerToken: "t",
          tlsClientConfig: { caData: PEM, serverName: "api.test" },
          proxyUrl: "http://10.0.0.9:3128"
        },
        { labels: { tier: "gold", "argocd.argoproj.io/refresh": "x" } }
      )
    )
    assert.deepStrictEqual([String(name), labels], ["prod", { tier: "gold" }])
    const { addressRule, credential, proxyUrl, server, tlsServerName } = connection
    assert.deepStrictEqual([server, tlsServerName, proxyUrl], ["https://10.0.0.1", "api.test", "http://10.0.0.9:3128/"])
    assert.deepStrictEqual(addressRule, rules.addressRule)
    assert.strictEqual(credential._tag === "Token" ? Redacted.value(credential.token) : undefined, "t")
  })

  it("may have a password or a client certificate, and empty texts count as left out", () => {
    const basic = got(secretOf({ username: "u", password: "p", bearerToken: "", tlsClientConfig: { caData: "" } }))
    assert.strictEqual(basic.connection.credential._tag, "Basic")
    assert.isUndefined(basic.connection.certificateAuthority)
    const tls = got(secretOf({ tlsClientConfig: { certData: PEM, keyData: PEM } }))
    assert.strictEqual(tls.connection.credential._tag, "ClientCertificate")
  })

  it("runs an allowed command, and what Argo CD runs for AWS", () => {
    const { connection: aws } = got(secretOf({ awsAuthConfig: { clusterName: "c", roleARN: "arn:r" } }))
    assert.deepInclude(aws.credential._tag === "Exec" ? aws.credential.plugin : {}, {
      command: "argocd-k8s-auth",
      args: ["aws", "--cluster-name", "c", "--role-arn", "arn:r"]
    })
    const { connection } = got(secretOf({ execProviderConfig: { command: "/opt/login", env: { AWS_REGION: "eu" } } }))
    assert.strictEqual(connection.credential._tag, "Exec")
  })

  it.each<[string, object]>([
    ["login", {}],
    ["/opt/../opt/login", {}],
    ["/opt/login ", {}],
    ["/opt/login", { args: ["get-token"] }],
    ["kubelogin", { args: ["get-token", "--login", "workloadidentity", "--federated-token-file", "secret"] }],
    ["argocd-k8s-auth", { args: ["aws", "--cluster-name", "--endpoint-url", "--role-arn", "r"] }],
    ["/opt/login", { env: { PATH: "/tmp" } }],
    ["/opt/login", { env: { NODE_OPTIONS: "--require /tmp/x" } }],
    ["/opt/login", { env: { GOOGLE_APPLICATION_CREDENTIALS: "/etc/x" } }]
  ])("does not run %s with %j", (command, more) => {
    assert.strictEqual(problemOf(secretOf({ execProviderConfig: { command, ...more } })).code, "execUnsupported")
  })

  it.each<[string, object, { server?: string; name?: string }, string]>([
    [
      "an unchecked certificate",
      { bearerToken: "t", tlsClientConfig: { insecure: true } },
      {},
      "credentialUnsupported"
    ],
    ["a metadata address", { bearerToken: "t" }, { server: "https://[::ffff:a9fe:a9fe]" }, "addressRefused"],
    ["a loopback address", { bearerToken: "t" }, { server: "https://localhost" }, "addressRefused"],
    ["a proxy with a user", { bearerToken: "t", proxyUrl: "http://a:b@10.0.0.9" }, {}, "addressRefused"],
    ["a token over plain http", { bearerToken: "t" }, { server: "http://10.0.0.1" }, "contextIncomplete"],
    ["a token of another type", { bearerToken: 7 }, {}, "contextIncomplete"],
    ["a name of nothing", { bearerToken: "t" }, { name: "***" }, "nameInvalid"]
  ])("with %s is refused", (_, config, more, code) => {
    const { code: found, message } = problemOf(secretOf(config, more))
    assert.strictEqual(found, code)
    assert.notInclude(message, "a:b")
  })

  it("counts null as left out, in every field", () => {
    const { connection, name } = got(
      secretOf({
        bearerToken: "t",
        username: null,
        password: null,
        proxyUrl: null,
        tlsClientConfig: { insecure: null, caData: PEM, certData: null, keyData: null, serverName: null },
        awsAuthConfig: null,
        execProviderConfig: null
      })
    )
    assert.strictEqual(String(name), "prod")
    assert.strictEqual(connection.credential._tag, "Token")
    assert.strictEqual(connection.certificateAuthority?._tag, "Data")
    assert.isUndefined(connection.tlsServerName)
    assert.strictEqual(got(secretOf({ bearerToken: "t", tlsClientConfig: null })).connection.credential._tag, "Token")
    const login = { command: "/opt/login", args: null, env: null, apiVersion: null }
    assert.strictEqual(got(secretOf({ execProviderConfig: login })).connection.credential._tag, "Exec")
    const aws = { clusterName: "c", roleARN: "arn:r", profile: null }
    assert.strictEqual(got(secretOf({ awsAuthConfig: aws })).connection.credential._tag, "Exec")
  })

  it("without a name has that of the Secret", () => {
    const { data, metadata } = secretOf({ bearerToken: "t" })
    const { name: _, ...nameless } = data
    for (const present of [
      nameless,
      { ...data, name: "" },
      { ...data, name: base64(" \n") },
      { ...data, name: null }
    ]) {
      assert.strictEqual(
        String(got({ metadata: { ...metadata, name: "cluster-eu-1" }, data: present }).name),
        "cluster-eu-1"
      )
    }
  })

  it("sends neither a token nor a password beside a plugin, as Argo CD does, and a certificate beside a token", () => {
    const login = { bearerToken: "t", username: "u", execProviderConfig: { command: "/opt/login" } }
    assert.strictEqual(got(secretOf(login)).connection.credential._tag, "Exec")
    const both = got(secretOf({ bearerToken: "t", tlsClientConfig: { certData: PEM, keyData: PEM } })).connection
    assert.strictEqual(both.credential._tag === "Token" && both.credential.clientCertificate !== undefined, true)
  })

  it("without its label, or of the cluster that Argo CD runs in, is no cluster", () => {
    const plain = secretOf({})
    assert.isUndefined(read({ ...plain, metadata: { labels: {} } }, rules))
    for (const server of ["https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local:443/"]) {
      assert.isUndefined(read(secretOf({}, { server }), rules))
    }
  })

  it("without its data is a problem", () => {
    const { metadata } = secretOf({})
    assert.strictEqual(problemOf({ metadata }).code, "contextIncomplete")
    assert.strictEqual(problemOf({ metadata, data: { name: base64("a") } }).code, "contextIncomplete")
  })
})
