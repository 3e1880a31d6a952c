import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { audited, list } from "./AuditedCall.ts"
import { Deployment, type KeyName } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

onOneDriver("the audit of a key that was narrowed", { children: ["prod"], options: {} }, (it) => {
  it.effect("hides from a scoped Admin what a key was before it was narrowed to the Admin's scope", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const namespaces = [{ namespaceNames: ["project-x", "shop"] }]
      const wide = {
        name: "Merger talks",
        rule: { role: "Viewer", targetClusters: ["prod", "merger-cluster"], targetNamespaces: namespaces },
        allowFrom: ["192.0.2.0/24"]
      } as const
      const { apiKey } = yield* deployment.createKey(wide)
      const path = `/api/v1/apiKeys/${apiKey.id}`
      const shop = [{ namespaceNames: ["shop"] }]
      const rule = { role: "Viewer", targetClusters: ["prod"], targetNamespaces: shop }
      const body = { name: "Storefront", rule, allowFrom: ["192.0.2.7/32"] }
      yield* audited("narrowed", path, { method: "PATCH", key: "admin", body })

      const statesSeenBy = Effect.fnUntraced(function* (key: KeyName, object: string) {
        const { events } = yield* list(`?limit=5000&resource=apiKeys&object=${encodeURIComponent(object)}`, key)
        return events.flatMap(({ after, target }) => (target.object === apiKey.id ? [after?.["name"] ?? "hidden"] : []))
      })
      const seen = ["Storefront", "hidden", "hidden"]
      assert.deepStrictEqual(yield* statesSeenBy("prodAdmin", apiKey.id), seen)
      assert.deepStrictEqual(yield* statesSeenBy("prodAdmin", "STOREfront"), ["Storefront"])
      assert.deepStrictEqual(yield* statesSeenBy("prodAdmin", "merger"), [])
      assert.deepStrictEqual(yield* statesSeenBy("admin", "merger"), ["Merger talks"])
      for (const format of ["json", "ndjson"]) {
        for (const search of ["", "&object=merger", "&object=front"]) {
          const asked = `/api/v1/audit?limit=5000&format=${format}${search}`
          const { status, text } = yield* deployment.call(asked, { key: "prodAdmin" })
          assert.strictEqual(status, 200)
          for (const hidden of [/merger/i, /project-x/, /192[.]0[.]2[.]0/]) assert.notMatch(text, hidden)
        }
      }
    })
  )
})
