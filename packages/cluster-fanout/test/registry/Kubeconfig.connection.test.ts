import { KubeConfig } from "@kubernetes/client-node"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import type { RegistryProblem } from "../../src/registry/ClusterRegistry.ts"
import { base64, CA, config, only, problem, read } from "../fixture/KubeconfigText.ts"

describe("clusters", () => {
  it.each([
    "http://proxy.test:3128/",
    "https://proxy.test/",
    "socks5://me:secret@proxy.test:1080",
    "socks5h://proxy.test"
  ])("a proxy may be %s", (proxyUrl) => {
    const cluster = { server: "https://c.test", "proxy-url": proxyUrl }
    assert.strictEqual(only(read(config({ cluster }))).proxyUrl, proxyUrl)
  })

  it("server, authority, server name and proxy are taken over", () => {
    const connection = only(
      read(
        config({
          cluster: {
            server: "https://c.test:6443/prefix/",
            "certificate-authority-data": base64(CA),
            "tls-server-name": "kubernetes",
            "proxy-url": "http://proxy.test:3128"
          }
        })
      )
    )
    assert.strictEqual(connection.server, "https://c.test:6443/prefix")
    assert.strictEqual(connection.tlsServerName, "kubernetes")
    assert.strictEqual(connection.proxyUrl, "http://proxy.test:3128/")
    assert.strictEqual(connection.insecureSkipTlsVerify, false)
    const authority = connection.certificateAuthority
    assert.strictEqual(authority?._tag === "Data" ? Redacted.value(authority.pem) : undefined, CA)
  })

  it("authority and user come by merge keys, and verification is skipped by a word of YAML 1.1", () => {
    const text = `
x-common: &common { certificate-authority-data: ${base64(CA)}, server: "https://a.test" }
clusters:
- { name: a, cluster: &a { <<: *common } }
- { name: b, cluster: { <<: *a, server: "https://b.test", insecure-skip-tls-verify: yes } }
users:
- { name: u, user: { token: t } }
contexts:
- { name: a, context: &context { cluster: a, user: u } }
- { name: b, context: { <<: *context, cluster: b } }
---
`
    const { clusters, problems } = read(text)
    assert.deepStrictEqual(
      clusters.map(({ connection }) => [
        connection.server,
        connection.certificateAuthority?._tag,
        connection.credential._tag,
        connection.insecureSkipTlsVerify
      ]),
      [
        ["https://a.test", "Data", "Token", false],
        ["https://b.test", "Data", "Token", true]
      ]
    )
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["insecureSkipTlsVerify"]
    )
  })

  it("documents behind the first are a warning, and not read", () => {
    const imported = read(`${config({ contexts: ["a"] })}---\n${config({ contexts: ["b"] })}`)
    assert.deepStrictEqual(
      imported.clusters.map(({ name }) => String(name)),
      ["a"]
    )
    assert.include(problem(imported), { severity: "warning", code: "documentsIgnored", source: "/etc/kube/config" })
  })

  it("paths start at the folder of their file", () => {
    const connection = only(
      read(
        config({
          cluster: { "certificate-authority": "pki/ca.crt" },
          user: { "client-certificate": "../me.crt", "client-key": "/abs/me.key" }
        })
      )
    )
    assert.deepStrictEqual(connection.certificateAuthority, { _tag: "File", path: "/etc/kube/pki/ca.crt" })
    assert.deepStrictEqual(connection.credential, {
      _tag: "ClientCertificate",
      certificate: { _tag: "File", path: "/etc/me.crt" },
      key: { _tag: "File", path: "/abs/me.key" }
    })
  })

  it("skipping verification is taken, with a warning", () => {
    const imported = read(config({ cluster: { "insecure-skip-tls-verify": true } }))
    assert.strictEqual(imported.clusters[0]?.connection.insecureSkipTlsVerify, true)
    assert.include(problem(imported), { code: "insecureSkipTlsVerify", severity: "warning" })
  })

  const refused: ReadonlyArray<readonly [string, object, object, RegistryProblem["code"]]> = [
    ["a server that is no URL", { server: "c.test:6443" }, {}, "contextIncomplete"],
    ["a server of endless length", { server: `https://c.test/${"x".repeat(3000)}` }, {}, "contextIncomplete"],
    ["a proxy of endless length", { "proxy-url": `http://c.test/${"x".repeat(3000)}` }, {}, "contextIncomplete"],
    ["a token of endless length", {}, { token: "x".repeat(100_000) }, "contextIncomplete"],
    ["a server with another scheme", { server: "ftp://c.test" }, {}, "contextIncomplete"],
    ["a server with a user", { server: "https://me@c.test" }, {}, "contextIncomplete"],
    ["no server", { server: null }, {}, "contextIncomplete"],
    ["a token over plain http", { server: "http://c.test" }, { token: "t" }, "contextIncomplete"],
    ["a proxy of another scheme", { "proxy-url": "socks4://proxy.test:1080" }, {}, "proxyUnsupported"],
    ["a proxy whose user is no UTF-8", { "proxy-url": "http://%ff@proxy.test" }, {}, "contextIncomplete"],
    ["an authority that is not base64", { "certificate-authority-data": "%%%" }, {}, "contextIncomplete"],
    ["an auth-provider", {}, { "auth-provider": { name: "gcp" } }, "credentialUnsupported"],
    ["a certificate without key", {}, { "client-certificate": "me.crt" }, "contextIncomplete"],
    ["a token and a username", {}, { token: "t", username: "me" }, "contextIncomplete"],
    ["a token that no header can carry", {}, { token: "a\nb" }, "contextIncomplete"],
    ["groups without whom to be", {}, { "as-groups": ["g"] }, "contextIncomplete"],
    [
      "an old plugin",
      {},
      { exec: { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "aws" } },
      "execUnsupported"
    ],
    [
      "a plugin that must ask",
      {},
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Always" } },
      "execUnsupported"
    ]
  ]
  for (const [name, cluster, user, code] of refused) {
    it(`${name} is reported as ${code}`, () => {
      const imported = read(config({ cluster, user }))
      assert.deepStrictEqual(imported.clusters, [])
      const { code: told, severity } = problem(imported)
      assert.deepStrictEqual([told, severity], [code, "error"])
    })
  }

  it("plain http is fine on the own machine, and where there is no credential", () => {
    assert.strictEqual(
      only(read(config({ cluster: { server: "http://127.0.0.1:8001" }, user: { token: "t" } }))).server,
      "http://127.0.0.1:8001"
    )
    assert.strictEqual(only(read(config({ cluster: { server: "http://proxy:8001" } }))).server, "http://proxy:8001")
  })
})

describe("users", () => {
  const credential = (user: object, cluster: object = {}) => only(read(config({ user, cluster }))).credential

  it("nothing is an anonymous caller", () => {
    assert.deepStrictEqual(credential({}), { _tag: "None" })
  })

  it("a token file beats a token, and null and empty fields count as absent", () => {
    assert.deepStrictEqual(credential({ token: "t", tokenFile: "tok" }), { _tag: "TokenFile", path: "/etc/kube/tok" })
    const token = credential({ token: "t", tokenFile: "", username: null })
    assert.strictEqual(token._tag === "Token" ? Redacted.value(token.token) : undefined, "t")
  })

  const CLIENT = { "client-certificate": "me.crt", "client-key": "me.key" }
  const clientCertificate = {
    certificate: { _tag: "File", path: "/etc/kube/me.crt" },
    key: { _tag: "File", path: "/etc/kube/me.key" }
  } as const
  const plugin = { apiVersion: "client.authentication.k8s.io/v1", command: "aws" }

  it("a client certificate goes beside a token or a password", () => {
    for (const [user, tag] of [
      [{ token: "t" }, "Token"],
      [{ tokenFile: "tok" }, "TokenFile"],
      [{ username: "me", password: "p" }, "Basic"]
    ] as const) {
      const both = credential({ ...user, ...CLIENT })
      assert.strictEqual(both._tag, tag)
      assert.deepStrictEqual("clientCertificate" in both ? both.clientCertificate : undefined, clientCertificate)
      assert.notProperty(credential(user), "clientCertificate")
    }
  })

  it("a plugin is not run for a user with a token, a password or a client certificate", () => {
    assert.strictEqual(credential({ token: "t", exec: plugin })._tag, "Token")
    assert.strictEqual(credential({ username: "me", exec: plugin })._tag, "Basic")
    assert.deepStrictEqual(credential({ ...CLIENT, exec: plugin }), { _tag: "ClientCertificate", ...clientCertificate })
    assert.strictEqual(credential({ exec: plugin })._tag, "Exec")
  })

  it("a plugin's null arguments, variables and values count as left out or empty", () => {
    const absent = credential({ exec: { ...plugin, args: null, env: null } })
    assert.deepInclude(absent._tag === "Exec" ? absent.plugin : {}, { args: [], env: [] })
    const empty = credential({ exec: { ...plugin, args: [null, "a"], env: [{ name: "A", value: null }] } })
    if (empty._tag !== "Exec") throw new Error(empty._tag)
    assert.deepStrictEqual(empty.plugin.args, ["", "a"])
    assert.deepStrictEqual(
      empty.plugin.env.map(([name, value]) => [name, Redacted.value(value)]),
      [["A", ""]]
    )
  })

  it("username and password are kept apart from what prints", () => {
    const basic = credential({ username: "me", password: "pass-word-1" })
    assert.strictEqual(basic._tag === "Basic" ? Redacted.value(basic.password) : undefined, "pass-word-1")
    assert.notInclude(JSON.stringify(basic), "pass-word-1")
  })

  it("a plugin keeps its settings, and a command with a path starts at the file's folder", () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      command: "./bin/plugin",
      args: ["get-token"],
      env: [{ name: "PROFILE", value: "prod" }],
      installHint: "install it",
      provideClusterInfo: true
    }
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: null, list: [""] } }]
    const got = credential({ exec }, { extensions })
    if (got._tag !== "Exec") throw new Error(got._tag)
    const { env, ...plugin } = got.plugin
    assert.deepStrictEqual(plugin, {
      apiVersion: exec.apiVersion,
      command: "/etc/kube/bin/plugin",
      args: ["get-token"],
      installHint: "install it",
      provideClusterInfo: true,
      interactiveMode: "IfAvailable",
      config: { audience: null, list: [""] }
    })
    assert.deepStrictEqual(
      env.map(([name, value]) => [name, Redacted.value(value)]),
      [["PROFILE", "prod"]]
    )
  })

  it("a bare command is left for PATH", () => {
    const got = credential({
      exec: { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" }
    })
    assert.strictEqual(got._tag === "Exec" ? got.plugin.command : undefined, "aws")
  })

  it("impersonation is taken whole", () => {
    const { impersonation } = only(
      read(
        config({
          user: { as: "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x"] } }
        })
      )
    )
    assert.deepStrictEqual(impersonation, { user: "jane", uid: "7", groups: ["a", "b"], extra: { scopes: ["x"] } })
  })
})

describe("beside the client library", () => {
  const Text = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,20}$/))
  const User = Schema.Struct({
    token: Schema.optionalKey(Text),
    as: Schema.optionalKey(Text)
  })
  const Cluster = Schema.Struct({
    "insecure-skip-tls-verify": Schema.optionalKey(Schema.Boolean),
    "tls-server-name": Schema.optionalKey(Text)
  })

  it.prop("the same server, trust and token are read", [Text, User, Cluster], ([context, user, cluster]) => {
    const text = config({
      contexts: [context],
      user,
      cluster: { ...cluster, "certificate-authority-data": base64(CA) }
    })
    const theirs = new KubeConfig()
    theirs.loadFromString(text)
    theirs.setCurrentContext(context)
    const ours = only(read(text))
    assert.strictEqual(ours.server, theirs.getCurrentCluster()?.server)
    assert.strictEqual(ours.insecureSkipTlsVerify, theirs.getCurrentCluster()?.skipTLSVerify ?? false)
    assert.strictEqual(ours.tlsServerName, theirs.getCurrentCluster()?.tlsServerName)
    assert.strictEqual(ours.impersonation?.user, theirs.getCurrentUser()?.impersonateUser)
    assert.strictEqual(
      ours.credential._tag === "Token" ? Redacted.value(ours.credential.token) : undefined,
      theirs.getCurrentUser()?.token
    )
  })
})
