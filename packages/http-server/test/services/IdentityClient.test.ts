import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Effect, FileSystem, Layer, Logger, Option } from "effect"
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

  it.live("says so at the start, before anybody signs in, and to who asks what is wrong", () =>
    Effect.gen(function* () {
      const issuer = `http://127.0.0.1:${yield* closedPort}`
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const client = IdentityClient.layer({ ...settings, issuer }).pipe(
        Layer.provide(NodeServices.layer),
        Layer.provide(logger)
      )
      const why = "the identity provider cannot be reached for its discovery document: ECONNREFUSED"
      const problem = yield* Effect.gen(function* () {
        yield* eventually(
          "it is logged",
          Effect.sync(() => lines.length),
          (count) => count > 0,
          { within: "10 seconds" }
        )
        return yield* (yield* IdentityClient.IdentityClient).problem
      }).pipe(Effect.provide(client))
      assert.deepStrictEqual(problem, Option.some(why))
      assert.deepStrictEqual(lines, [`${why} (${issuer}); until it answers, people can sign in only with API keys`])
    })
  )

  it.live.each<[number, boolean]>([
    [0o644, true],
    [0o640, false],
    [0o600, false]
  ])("warns of a client's secret of mode %i that other users can read: %s", ([mode, isWarned]) =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/secret`
      yield* files.writeFileString(path, "a secret", { mode })
      yield* files.chmod(path, mode)
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const issuer = `http://127.0.0.1:${yield* closedPort}`
      yield* IdentityClient.IdentityClient.pipe(
        Effect.provide(
          IdentityClient.layer({ ...settings, issuer, clientSecretFile: path }).pipe(Layer.provide(logger))
        )
      )
      const line = `oidc.clientSecretFile ${path}: other users of this machine can read it; run chmod o-r on it`
      assert.deepStrictEqual(
        lines.filter((one) => one.includes("other users")),
        isWarned ? [line] : []
      )
    }).pipe(Effect.provide(NodeServices.layer))
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
