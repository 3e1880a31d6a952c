import { describe, expect, it } from "@effect/vitest"
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { Schema } from "effect"
import { helmEntry } from "../src/keys/Snippets.ts"

const decode = Schema.decodeUnknownSync(ApiKeyList)

/** A key whose texts YAML could take for something else. */
const { apiKeys } = decode({
  apiKeys: [
    {
      id: "key_1",
      name: 'the "shop": #1',
      rule: {
        role: "Viewer",
        targetClusters: ["prod", "1e3"],
        targetNamespaces: [
          { namespaceNames: ["shop", "null"] },
          { namespaceNames: [], labelSelector: { matchLabels: { team: "yes", "example.com/tier": "" } } }
        ]
      },
      status: "active",
      source: "created",
      createdAt: "2026-01-31T12:00:00.123Z",
      expiresAt: "2030-01-31T12:00:00.987Z"
    }
  ]
})

describe("the Helm values that the page shows of a new key", () => {
  it("are those that the chart is tested with", async () => {
    const shown = apiKeys.map((key) => helmEntry(key, `${"1".repeat(60)}e123`)).join("\n")
    await expect(`${shown}\n`).toMatchFileSnapshot("../../helm-chart/test/from-the-page.yaml")
  })
})
