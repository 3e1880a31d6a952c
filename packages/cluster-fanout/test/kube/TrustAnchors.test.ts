import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer } from "node:https"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { type Authority, makeAuthority } from "../fixture/Certificates.ts"
import { ask, facts, reasonOf, transport } from "../fixture/TransportCalls.ts"
import { listen } from "../fixture/Listening.ts"

/** Serves `[]` with a certificate of an authority, and with further certificates behind it. */
const serve = Effect.fnUntraced(function* (authority: Authority, ...chain: ReadonlyArray<string>) {
  const { certificate, key } = yield* Effect.promise(() => authority.issue("server"))
  const server = createServer({ cert: [certificate, ...chain].join("\n"), key }, (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end("[]")
  })
  const port = yield* listen(server)
  return { certificate, trusting: (caPem: string) => clusterAt({ server: `https://127.0.0.1:${port}`, caPem }) }
})

const authority = (...options: Parameters<typeof makeAuthority>) => Effect.promise(() => makeAuthority(...options))

const withTransport = Effect.provide(Layer.fresh(transport))

describe("the authorities of a cluster", () => {
  it.effect("may be an intermediate one, whose own authority is not in the bundle", () =>
    Effect.gen(function* () {
      const root = yield* authority()
      const intermediate = yield* Effect.promise(() => root.intermediate("intermediate"))
      const chained = yield* serve(intermediate, intermediate.pem)
      assert.strictEqual((yield* ask(chained.trusting(intermediate.pem))).status, 200)
      const alone = yield* serve(intermediate)
      assert.strictEqual((yield* ask(alone.trusting(intermediate.pem))).status, 200)
      // The root alone knows no path to a server that keeps its intermediate to itself.
      const reason = yield* reasonOf(alone.trusting(root.pem))
      assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
    }).pipe(Effect.scoped, withTransport)
  )

  it.effect("may be the server's own certificate", () =>
    Effect.gen(function* () {
      const one = yield* authority()
      const [server, other] = [yield* serve(one), yield* serve(one)]
      assert.strictEqual((yield* ask(server.trusting(server.certificate))).status, 200)
      const reason = yield* reasonOf(server.trusting(other.certificate))
      assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
    }).pipe(Effect.scoped, withTransport)
  )

  it.effect.each([true, false])(
    "may be several of one subject, in any order; with key identifiers: %s",
    (isIdentified) =>
      Effect.gen(function* () {
        const make = authority({ commonName: "kubernetes-ca", isIdentified })
        const [first, second, third, foreign] = [yield* make, yield* make, yield* make, yield* make]
        const bundles = [
          [first.pem, second.pem, third.pem],
          [third.pem, second.pem, first.pem]
        ]
        for (const signer of [first, second, third]) {
          const server = yield* serve(signer)
          for (const bundle of bundles) {
            const cluster = server.trusting(bundle.join("\n"))
            assert.strictEqual((yield* ask(cluster)).status, 200)
          }
          const reason = yield* reasonOf(server.trusting(foreign.pem))
          assert.strictEqual(reason._tag, "ClusterCertificateInvalid")
        }
      }).pipe(Effect.scoped, withTransport)
  )

  it.effect("may stand beside a block that cannot be read, comments and text", () =>
    Effect.gen(function* () {
      const one = yield* authority()
      const server = yield* serve(one)
      const broken = "-----BEGIN CERTIFICATE-----\nMIIBnotacertificateatallAAAA\n-----END CERTIFICATE-----\n"
      const bundle = `Certificate:\n    Data:\n${broken}${one.pem.replaceAll("\n", "\r\n")}\n# the end`
      assert.strictEqual((yield* ask(server.trusting(bundle))).status, 200)
      const reason = yield* reasonOf(server.trusting(broken))
      assert.deepStrictEqual(facts(reason), {
        _tag: "ClusterCredentialUnavailable",
        problem: "the certificate authority is not PEM, or contains no readable certificate"
      })
    }).pipe(Effect.scoped, withTransport)
  )

  it.effect("are refused with a key that is too small, which the error says", () =>
    Effect.gen(function* () {
      const small = yield* authority({ rsaBits: 1_024 })
      const server = yield* serve(small)
      const reason = yield* reasonOf(server.trusting(small.pem))
      assert.deepStrictEqual(facts(reason), { _tag: "ClusterCertificateInvalid", code: "CA_KEY_TOO_SMALL" })
      assert.include(reason.message, "RSA below 2048 bits")
      const good = yield* authority()
      assert.strictEqual((yield* ask((yield* serve(good)).trusting(`${small.pem}\n${good.pem}`))).status, 200)
    }).pipe(Effect.scoped, withTransport)
  )
})
