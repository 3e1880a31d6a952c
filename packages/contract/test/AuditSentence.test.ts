import { assert, describe, it } from "@effect/vitest"
import { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import * as AuditSentence from "../src/AuditSentence.ts"

type Parts = AuditSentence.SentenceParts

const event = (fields: Partial<Parts>): Parts => ({
  resource: "workloads",
  verb: "operate",
  route: "/api/v1/workloads/:cluster/:namespace/:kind/:name/scale",
  target: { asked: "prod", clusters: ["prod"], namespaces: ["shop"], object: "Deployment/web" },
  decision: "allow",
  status: 200,
  ...fields
})

const key = (fields: Partial<Parts>): Parts =>
  event({
    resource: "apiKeys",
    route: "/api/v1/apiKeys/:id",
    target: { asked: "", clusters: [], object: "key_3kPq8VdYw1TzLrN5cXbG2m" },
    ...fields
  })

const list = (fields: Partial<Parts>): Parts =>
  event({ verb: "read", route: "/api/v1/workloads", target: { asked: "stage", clusters: [] }, ...fields })

describe("an audit event as a sentence", () => {
  it.each<[sentence: string, event: Parts]>([
    ["Scaled shop/web in prod from 4 to 5", event({ before: { replicas: 4 }, after: { replicas: 5 } })],
    ["Scaled shop/web in prod", event({})],
    ["Started: scale shop/web in prod", event({ status: 0 })],
    ["Failed: scale shop/web in prod (workload changed)", event({ status: 409, code: "workload_changed" })],
    ["Client disconnected: scale shop/web in prod", event({ status: 499 })],
    ["Scaled shop/web in prod as a dry run", event({ verb: "read" })],
    [
      "Restarted 3 workloads of namespaces shop, payments in hub, prod",
      event({
        route: "/api/v1/workloads/actions",
        target: {
          asked: "hub|prod",
          clusters: ["hub", "prod"],
          namespaces: ["shop", "payments"],
          object: "restart: 3 workloads"
        }
      })
    ],
    [
      "Created API key ci-eu (Operator, clusters eu)",
      key({
        verb: "create",
        route: "/api/v1/apiKeys",
        status: 201,
        after: { name: "ci-eu", role: "Operator", targetClusters: ["eu"] }
      })
    ],
    [
      "Changed API key ci (Viewer, all clusters, some namespaces)",
      key({ after: { name: "ci", role: "Viewer", targetNamespaces: [{ namespaceNames: ["shop"] }] } })
    ],
    [
      "Created API key wide (Viewer, a scope too long to record)",
      key({ verb: "create", after: { isTruncated: true, name: "wide", role: "Viewer" } })
    ],
    [
      "Rotated API key ci (Admin, all clusters)",
      key({ route: "/api/v1/apiKeys/:id/rotate", after: { name: "ci", role: "Admin" } })
    ],
    [
      "Revoked API key ci and 2 descendants",
      key({
        verb: "delete",
        before: { name: "ci", role: "Admin" },
        target: { asked: "", clusters: [], object: "key_3kPq8VdYw1TzLrN5cXbG2m", descendants: 2 }
      })
    ],
    ["Started: revoke API key key_3kPq8VdYw1TzLrN5cXbG2m", key({ verb: "delete", status: 0 })],
    [
      "Refused: list workloads in stage (outside of the key's rule)",
      list({ decision: "deny", status: 403, code: "cluster_forbidden" })
    ],
    [
      "Refused 12 times: list workloads of namespace shop in all clusters (outside of the key's rule)",
      list({
        target: { asked: "*", clusters: [], namespaces: ["shop"] },
        decision: "deny",
        status: 403,
        code: "namespace_forbidden",
        count: 12
      })
    ],
    [
      "Listed workloads in a, b, c and 2 more, 3 times",
      list({ target: { asked: "*", clusters: ["a", "b", "c", "d", "e"] }, count: 3 })
    ],
    [
      "Read logs of pod shop/web-1 in prod",
      list({
        resource: "podLogs",
        target: { asked: "prod", clusters: ["prod"], namespaces: ["shop"], object: "web-1" }
      })
    ],
    [
      "Removed cluster stage",
      event({
        resource: "clusters",
        verb: "delete",
        route: "/api/v1/clusters/:name",
        target: { asked: "stage", clusters: ["stage"] }
      })
    ],
    ["Changed the prices", event({ resource: "prices", route: "/api/v1/prices", target: { asked: "", clusters: [] } })],
    [
      "Previewed the prices",
      event({
        resource: "prices",
        verb: "read",
        route: "/api/v1/prices",
        target: { asked: "", clusters: [], object: "dryRun" }
      })
    ],
    ["Signed out", event({ resource: "session", verb: "delete", target: { asked: "", clusters: [] } })],
    [
      "Refused: call an unknown path (no key was sent)",
      list({
        resource: "unknown",
        route: "unmatched",
        target: { asked: "", clusters: [] },
        decision: "deny",
        status: 401,
        code: "missing_credential"
      })
    ],
    [
      "Created budgets in prod",
      event({
        resource: "budgets",
        verb: "create",
        route: "/api/v1/budgets",
        target: { asked: "", clusters: ["prod"] }
      })
    ]
  ])("%s", (sentence, parts) => {
    assert.strictEqual(AuditSentence.print(parts), sentence)
  })

  it.prop("is one line that starts with a capital letter, whatever the event", [AuditFacts], ([facts]) => {
    const line = { ...facts, resource: "workloads", target: { asked: "", clusters: [] } } as const
    assert.match(AuditSentence.print(line), /^[A-Z]/)
    assert.isAbove(AuditSentence.print(facts).length, 3)
  })
})
