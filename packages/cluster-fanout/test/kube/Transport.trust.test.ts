import { assert, describe, layer } from "@effect/vitest"
import { Fault } from "@quarterdeck/harness"
import { Effect, Layer, Redacted } from "effect"
import type { Cluster } from "../../src/registry/Cluster.ts"
import * as ByteServer from "../fixture/ByteServer.ts"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { EmbeddedCluster, type FaultyCluster } from "../fixture/EmbeddedCluster.ts"
import { ask, facts, onCluster, reasonOf, transport } from "../fixture/TransportCalls.ts"

/** The proxy in front of the cluster has an authority of its own, which is not the cluster's. */
const otherAuthority = ({ embedded, server }: FaultyCluster) => ({ server, caPem: embedded.caPem })

layer(EmbeddedCluster.layer(), { excludeTestServices: true })((it) => {
  describe("trust", () => {
    const refused = (name: string, code: string, problem: "expired" | "notYetValid" | "wrongHost") =>
      it.effect(`${name}: the certificate is refused and no request is sent`, () =>
        onCluster((server) =>
          Effect.gen(function* () {
            yield* server.inject(Fault.staleCertificate({ problem }))
            const reason = yield* reasonOf(server.entered())
            assert.deepStrictEqual(facts(reason), { _tag: "ClusterCertificateInvalid", code })
            assert.strictEqual(server.requests.length, 0)
          })
        )
      )

    refused("an expired certificate", "CERT_HAS_EXPIRED", "expired")
    refused("a certificate of the future", "CERT_NOT_YET_VALID", "notYetValid")
    refused("a certificate for another name", "ERR_TLS_CERT_ALTNAME_INVALID", "wrongHost")

    it.effect("a certificate of another authority is refused", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const other = clusterAt(otherAuthority(server))
          const reason = yield* reasonOf(other)
          assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
        })
      )
    )

    it.effect("without an authority of its own a cluster must be known to the system's roots", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const { certificateAuthority: _, ...bare } = server.entered().connection
          const reason = yield* reasonOf({ ...server.entered(), connection: bare, generation: "bare" })
          assert.deepStrictEqual(facts(reason), {
            _tag: "ClusterCertificateInvalid",
            code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
          })
        })
      )
    )

    it.effect("tls-server-name is the name that is checked", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.staleCertificate({ problem: "wrongHost" }))
          // The name that the wrong certificate is for.
          const { status } = yield* ask(server.entered({ tlsServerName: "elsewhere.example" }))
          assert.strictEqual(status, 200)
        })
      )
    )

    it.effect("insecure-skip-tls-verify takes any certificate", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          yield* server.inject(Fault.staleCertificate({ problem: "expired" }))
          assert.strictEqual((yield* ask(server.entered({ insecureSkipTlsVerify: true }))).status, 200)
        })
      )
    )

    it.effect("a certificate authority that is not PEM is no credential, and says so without quoting it", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          const broken = server.entered({
            certificateAuthority: { _tag: "Data", pem: Redacted.make("-----BEGIN rubbish") }
          })
          const reason = yield* reasonOf(broken)
          assert.strictEqual(reason._tag, "ClusterCredentialUnavailable")
          assert.notInclude(reason.message, "rubbish")
        })
      )
    )

    it.effect("a client certificate is presented", () =>
      Effect.gen(function* () {
        const server = yield* ByteServer.start('"certified"')
        const { certificate, key } = yield* Effect.promise(() => server.authority.issue("service"))
        const certified: Cluster = clusterAt(server, {
          credential: {
            _tag: "ClientCertificate",
            certificate: { _tag: "Data", pem: Redacted.make(certificate) },
            key: { _tag: "Data", pem: Redacted.make(key) }
          }
        })
        assert.strictEqual((yield* ask(certified)).body.toString(), '"certified"')
        assert.deepStrictEqual(server.presented, ["service"])
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(transport)))
    )
  })

  describe("identity", () => {
    it.effect("several impersonated groups are sent as several lines", () =>
      onCluster((server) =>
        Effect.gen(function* () {
          // A cluster that takes passwords is none of today.
          yield* server.inject(Fault.fixedReply())
          yield* ask(
            server.entered({
              credential: { _tag: "Basic", username: "jane", password: Redacted.make("pass:word") },
              impersonation: {
                user: "ops",
                uid: "u-1",
                groups: ["dev", "ops, all"],
                extra: { "acme.com/project": ["a", "b"] }
              }
            })
          )
          const headers = server.requests[0]?.headers ?? {}
          assert.deepStrictEqual(headers["authorization"], [
            `Basic ${Buffer.from("jane:pass:word").toString("base64")}`
          ])
          assert.deepStrictEqual(headers["impersonate-user"], ["ops"])
          assert.deepStrictEqual(headers["impersonate-uid"], ["u-1"])
          assert.deepStrictEqual(headers["impersonate-group"], ["dev", "ops, all"])
          assert.deepStrictEqual(headers["impersonate-extra-acme.com%2fproject"], ["a", "b"])
        })
      )
    )
  })
})
