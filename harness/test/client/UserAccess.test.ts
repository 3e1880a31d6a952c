import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { make as makeApi } from "../../src/client/ClusterApi.ts"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import * as UserAccess from "../../src/client/UserAccess.ts"
import { bothKinds } from "../drivers/BothKinds.ts"
import { statusOf, WAIT } from "../state/Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)
const token = () => Redacted.make(randomBytes(16).toString("hex"))

const READ = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }

for (const driver of bothKinds(run)) {
  describe(`a user with rules on the ${driver.name} driver`, () => {
    it.live(
      "may do what they say, where they say it, and nothing else; another grant replaces them",
      () =>
        Effect.gen(function* () {
          const admin = { name: "admin", groups: ["system:masters"], token: token() }
          const ann = { name: "Ann@Example.com", groups: [], token: token() }
          const bob = { name: "ann@example.com", groups: [], token: token() }
          const { caPem, server } = yield* driver.start({ name: "granting", users: [admin, ann, bob] })
          const api = yield* makeApi({ cluster: "granting", server, caPem, token: admin.token })
          const may = (user: typeof ann, path: string) =>
            Effect.map(statusOf(api.as(user.token), path), (status) => status === 200)
          const shop = "/api/v1/namespaces/shop/pods"
          yield* UserAccess.grant(api, { name: bob.name })
          yield* UserAccess.grant(api, {
            name: ann.name,
            rules: [
              { ...READ, namespaces: ["shop", "default"] },
              { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
              { nonResourceURLs: ["/metrics"], verbs: ["get"] }
            ]
          })
          yield* eventually("she may list pods", may(ann, shop), (is) => is, WAIT)
          yield* eventually("she may list nodes", may(ann, "/api/v1/nodes"), (is) => is, WAIT)
          // Granted last, and a server learns of one binding after the other.
          yield* eventually("she may there too", may(ann, "/api/v1/namespaces/default/pods"), (is) => is, WAIT)
          assert.isFalse(yield* may(ann, "/api/v1/pods"))
          assert.isFalse(yield* may(ann, "/api/v1/namespaces/shop/secrets"))
          // His name differs in capitals alone.
          assert.isFalse(yield* may(bob, shop))

          yield* UserAccess.grant(api, { name: ann.name, rules: [{ ...READ, verbs: ["get"], namespaces: ["shop"] }] })
          yield* eventually("she may not list pods", may(ann, shop), (is) => !is, WAIT)
          assert.isTrue(yield* may(ann, "/api/v1/namespaces/default/pods"))
        }),
      LIMIT
    )
  })
}

describe("UserAccess", () => {
  it("binds whom it is told to, and labels everything", () => {
    const subject = { kind: "ServiceAccount", name: "user-1", namespace: "ci-1" } as const
    const labels = { run: "1" }
    const objects = UserAccess.objectsOf({ name: "ann", rules: [READ] }, subject, labels)
    assert.deepStrictEqual(
      objects.map(({ kind, metadata }) => [kind, metadata.labels]),
      [
        ["ClusterRole", labels],
        ["ClusterRoleBinding", labels]
      ]
    )
    assert.deepStrictEqual(objects[0]?.["rules"], [READ])
    assert.deepStrictEqual(objects[1]?.["subjects"], [subject])
  })
})
