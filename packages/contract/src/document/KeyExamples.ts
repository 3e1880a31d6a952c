/** Examples of keys, sessions, access reviews and audit events. */
import { ApiKey, CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { AuditEvent, AuditState } from "@quarterdeck/keys/AuditEvent"
import { Rule } from "@quarterdeck/keys/Rule"
import { AccessReview, AccessReviewRequest } from "../AccessReviewsGroup.ts"
import { ApiKeyFamily, ApiKeyList, CreateApiKey, RotateApiKey, UpdateApiKey } from "../ApiKeysGroup.ts"
import { AuditList } from "../AuditGroup.ts"
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

const auditState: typeof AuditState.Encoded = { name: "ci-eu", role: "Operator", targetClusters: ["eu"] }

const auditEvent: typeof AuditEvent.Encoded = {
  id: "1042",
  at: "2026-11-21T06:15:05.826Z",
  actor: { kind: "key", keyId: "key_pfUub978quSSB1QT7pHAW1", name: "platform-team" },
  via: "rest",
  address: "192.0.2.7",
  resource: "apiKeys",
  verb: "delete",
  route: "/api/v1/apiKeys/:id",
  target: { asked: "", clusters: [], object: "key_aVXy5stSSTGObFfvJvfSXp" },
  decision: "allow",
  status: 200,
  requestId: "6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f",
  before: auditState,
  hash: "0bdb22a3a4b8ae1d1bb3d02ee95e3d5a1cb8dca5c2c6d1b6a4fdb6c9f40ad1a7",
  previousHash: "ddc6a8e4ab1b4bd2c5b7c32dd5a14b2bdb0f0b1a7a3bb8ba8f8e64f36fb0ab5c"
}

export const auditExamples = [
  example(AuditState, auditState),
  example(AuditEvent, auditEvent),
  example(AuditList, { events: [auditEvent] })
]
