/** Examples of keys, sessions and access reviews. */
import { ApiKey, CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { Rule } from "@quarterdeck/keys/Rule"
import { AccessReview, AccessReviewRequest } from "../AccessReviewsGroup.ts"
import { ApiKeyFamily, ApiKeyList, CreateApiKey, RotateApiKey, UpdateApiKey } from "../ApiKeysGroup.ts"
import { SignedIn, SignIn } from "../SessionGroup.ts"
import { example } from "./Example.ts"

const rule: typeof Rule.Encoded = { role: "Viewer", targetClusters: ["prod"] }

const apiKey: typeof ApiKey.Encoded = {
  id: "key_aVXy5stSSTGObFfvJvfSXp",
  name: "ci",
  description: "deploys the shop",
  start: "qd_2TRxmj",
  rule,
  allowFrom: ["203.0.113.0/24"],
  status: "active",
  source: "created",
  createdAt: "2026-11-21T06:15:05.826Z",
  createdBy: "key_pfUub978quSSB1QT7pHAW1",
  expiresAt: "2027-02-19T06:15:05.826Z"
}

export const keyExamples = [
  example(Rule, {
    role: "Operator",
    targetClusters: ["prod", "stage"],
    targetNamespaces: [
      { namespaceNames: ["shop", "shop-jobs"] },
      { namespaceNames: [], labelSelector: { matchLabels: { team: "storefront" } } }
    ]
  }),
  example(ApiKey, apiKey),
  example(ApiKeyFamily, { ...apiKey, descendants: 3 }),
  example(ApiKeyList, { apiKeys: [apiKey] }),
  example(CreateApiKey, {
    name: "ci",
    description: "deploys the shop",
    rule,
    allowFrom: ["203.0.113.0/24"],
    expire: "90d"
  }),
  example(UpdateApiKey, { name: "ci of the shop", rule }),
  example(RotateApiKey, { grace: "24h" }),
  example(AccessReviewRequest, { resource: "workloads", verb: "read", cluster: "prod", namespace: "shop" }),
  example(AccessReview, { allowed: false, code: "namespace_forbidden" }),
  example(SignIn, { key: "qd_2TRxmj…" }),
  example(SignedIn, apiKey),
  example(CreatedApiKey, { key: "qd_2TRxmj…", apiKey })
]
