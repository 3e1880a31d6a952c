/** How the clusters of a kubeconfig are entered. */
import { assert, describe, it } from "@effect/vitest"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:https"
import { join } from "node:path"
import { rootCertificates, TLSSocket } from "node:tls"
import { Effect, Redacted } from "effect"
import { make as makeApi } from "../../../src/client/ClusterApi.ts"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import * as KubeconfigFile from "../../../src/drivers/existing/KubeconfigFile.ts"
import * as Kubeconfig from "../../../src/client/Kubeconfig.ts"
import { temporaryDirectory } from "../../machine/Fixture.ts"

const config = Kubeconfig.print([
  { name: "theirs", server: "https://127.0.0.1:1/", caPem: "an authority", user: "me", token: Redacted.make("t") }
])

describe("a kubeconfig", () => {
  it.effect("gives the address, the authority and the token of a context, in a text or in files beside it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "config")
      const data = /certificate-authority-data: \S+/
      yield* Effect.promise(async () => {
        await writeFile(join(directory, "ca.crt"), "an authority")
        await writeFile(join(directory, "token"), "t\n")
        await writeFile(
          path,
          config.replace(data, "certificate-authority: ca.crt").replace("token: t", "tokenFile: token")
        )
      })
      for (const source of [config, path]) {
        const { caPem, expires, server, token } = yield* (yield* KubeconfigFile.read(source)).enter("theirs")
        assert.deepStrictEqual(
          [server, caPem, Redacted.value(token), expires],
          ["https://127.0.0.1:1", "an authority", "t", false]
        )
      }
      const plain = yield* KubeconfigFile.read(config.replace(data, "{}").replace("      {}\n", ""))
      assert.strictEqual((yield* plain.enter("theirs")).caPem, rootCertificates.join("\n"))
    })
  )

  it.effect("is refused where a context names what is not there, or has no credential", () =>
    Effect.gen(function* () {
      const refusal = (text: string) =>
        Effect.flatMap(KubeconfigFile.read(text), (file) => Effect.flip(file.enter("theirs")))
      const lost = yield* refusal(config.replace("user: me@theirs", "user: nobody"))
      assert.strictEqual(lost.message, "the context theirs of the kubeconfig refers to an unknown user nobody")
      const bare = yield* refusal(config.replace("token: t", "username: me"))
      assert.strictEqual(
        bare.message,
        "the user of the context theirs has no token, no client certificate and no exec plugin"
      )
    })
  )

  it.effect("keeps what merge keys bring, and is refused where kubectl reads another server", () =>
    Effect.gen(function* () {
      const text = (cluster: string, more = "") => `
x-common: &common { server: "https://127.0.0.1:1", certificate-authority-data: ${Buffer.from("an authority").toString("base64")} }
clusters: [{ name: c, cluster: ${cluster} }${more}]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: theirs, context: { cluster: c, user: u } }]
`
      const merged = yield* KubeconfigFile.read(text("{ <<: *common, server: 'https://127.0.0.1:2' }"))
      const { caPem, server } = yield* merged.enter("theirs")
      assert.deepStrictEqual([server, caPem], ["https://127.0.0.1:2", "an authority"])
      const proxied = yield* KubeconfigFile.read(text("{ <<: [*common, { proxy-url: 'http://proxy' }] }"))
      assert.include((yield* Effect.flip(proxied.enter("theirs"))).message, "uses proxy-url")
      const refusal = (text: string) => Effect.map(Effect.flip(KubeconfigFile.read(text)), ({ message }) => message)
      assert.include(
        yield* refusal(text("{ server: 'https://127.0.0.1:2', <<: *common }")),
        "the kubeconfig is invalid: not valid YAML"
      )
      assert.include(
        yield* refusal(text("{ <<: *common }", ", { name: c, cluster: { server: 'https://127.0.0.1:2' } }")),
        "the kubeconfig has c twice in clusters"
      )
    })
  )

  it.effect("that is printed is text where kubectl reads YAML 1.1", () =>
    Effect.gen(function* () {
      const printed = Kubeconfig.print([
        { name: "no", server: "https://127.0.0.1:1", caPem: "an authority", user: "me", token: Redacted.make("1_000") }
      ])
      assert.include(printed, 'name: "no"')
      assert.include(printed, 'token: "1_000"')
      const { token } = yield* (yield* KubeconfigFile.read(printed)).enter("no")
      assert.strictEqual(Redacted.value(token), "1_000")
    })
  )

  it.live("is entered by what a plugin beside it says, which is told of the cluster if it asks", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "config")
      const exec = [
        "exec:",
        "  apiVersion: client.authentication.k8s.io/v1",
        "  command: ./login",
        "  provideClusterInfo: true",
        "  env: [{ name: WHO, value: me }]"
      ]
      yield* Effect.promise(async () => {
        // It answers with what it was told, as its token.
        const told = `"$WHO $(printf %s "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')"`
        const answer = `printf '{"kind":"ExecCredential","status":{"token":"%s"}}' ${told}`
        await writeFile(join(directory, "login"), `#!/bin/sh\n${answer}\n`, { mode: 0o755 })
        await writeFile(path, config.replace("token: t", exec.join("\n      ")))
      })
      const { expires, token } = yield* (yield* KubeconfigFile.read(path)).enter("theirs")
      const [who, info = ""] = Redacted.value(token).split(" ")
      assert.deepStrictEqual(
        [expires, who, JSON.parse(Buffer.from(info, "base64").toString())],
        [
          true,
          "me",
          {
            apiVersion: "client.authentication.k8s.io/v1",
            kind: "ExecCredential",
            spec: {
              interactive: false,
              cluster: {
                server: "https://127.0.0.1:1",
                "certificate-authority-data": Buffer.from("an authority").toString("base64")
              }
            }
          }
        ]
      )
    })
  )

  it.live("is entered by a client certificate", () =>
    Effect.gen(function* () {
      const theirs = yield* ServerCertificate.issue("server")
      const mine = yield* ServerCertificate.issue("client")
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const listening = createServer(
            {
              cert: theirs.certificatePem,
              key: Redacted.value(theirs.keyPem),
              requestCert: true,
              // It is no client's certificate by its extensions; here it only has to arrive.
              rejectUnauthorized: false
            },
            ({ headers, socket }, response) => {
              const shown = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.fingerprint256 : undefined
              response.end(JSON.stringify({ shown: shown ?? null, token: headers.authorization ?? null }))
            }
          ).listen(0, "127.0.0.1")
          await once(listening, "listening")
          return listening
        }),
        (listening) => Effect.sync(() => listening.close())
      )
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      const text = Kubeconfig.print([
        {
          name: "theirs",
          server: `https://127.0.0.1:${port}`,
          caPem: theirs.certificatePem,
          user: "me",
          token: Redacted.make("unused")
        }
      ])
      const encoded = (pem: string) => Buffer.from(pem).toString("base64")
      const file = yield* KubeconfigFile.read(
        text.replace(
          "token: unused",
          `client-certificate-data: ${encoded(mine.certificatePem)}\n`
            + `      client-key-data: ${encoded(Redacted.value(mine.keyPem))}`
        )
      )
      const entry = yield* file.enter("theirs")
      const api = yield* makeApi({ cluster: "theirs", ...entry })
      const reply = yield* api.request({ method: "GET", path: "/" })
      assert.deepStrictEqual(JSON.parse(reply.text), {
        shown: new X509Certificate(mine.certificatePem).fingerprint256,
        token: null
      })
    })
  )
})
