import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:net"
import * as IdentityClient from "../../src/services/IdentityClient.ts"

const settings = {
  clientId: "quarterdeck",
  clientSecretFile: undefined,
  groupsClaim: "groups",
  scopes: undefined,
  rules: [{ group: "platform", rule: { role: "Admin" as const } }],
  publicUrl: "https://deck.example"
}

/** A port where nobody listens any more. */
const closedPort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" ? address?.port : undefined
})

const begun = (layer: ReturnType<typeof IdentityClient.layer>) =>
  Effect.gen(function* () {
    return yield* (yield* IdentityClient.IdentityClient).begin
  }).pipe(Effect.provide(layer.pipe(Layer.provide(NodeServices.layer))), Effect.flip)

describe("the client of an identity provider", () => {
  it.live("says that a provider cannot be reached, and why", () =>
    Effect.gen(function* () {
      const issuer = `http://127.0.0.1:${yield* closedPort}`
      const { message } = yield* begun(IdentityClient.layer({ ...settings, issuer }))
      assert.strictEqual(message, "the identity provider cannot be reached for its discovery document: ECONNREFUSED")
    })
  )

  it.live("starts only with the secret that it was told of", () =>
    Effect.gen(function* () {
      const issuer = "https://id.example"
      const { message } = yield* begun(
        IdentityClient.layer({ ...settings, issuer, clientSecretFile: "/nonexistent/secret" })
      )
      assert.match(message, /^oidc\.clientSecretFile \/nonexistent\/secret: /)
    })
  )
})
