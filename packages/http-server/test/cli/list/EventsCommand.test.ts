import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aged } from "../ages.ts"
import { coverage, json, problem, quarterdeck, service } from "../program.ts"

const MINUTE = 60_000

const event = (facts: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: "uid-1",
  cluster: "prod",
  namespace: "web",
  regarding: { kind: "Pod", name: "shop-1", id: "uid-shop-1" },
  type: "Warning",
  reason: "BackOff",
  message: "Back-off restarting failed container",
  count: 7,
  firstSeenAt: "2026-01-02T03:04:05.000Z",
  lastSeenAt: "2026-01-02T04:04:05.000Z",
  reportedBy: "kubelet",
  ...facts
})

const bodyOf = (...events: ReadonlyArray<Record<string, unknown>>) => ({
  events,
  clusters: [coverage("prod")],
  partial: false
})

describe("quarterdeck events", () => {
  it.live("prints kubectl's columns, a message in one line that rules no terminal, and the reporter as wide", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({
        body: bodyOf(
          event({ lastSeenAt: aged(5 * MINUTE).createdAt, firstSeenAt: aged(3 * 60 * MINUTE).createdAt }),
          event({
            namespace: null,
            regarding: { kind: "Node", name: "node-1" },
            type: "Normal",
            reason: "Starting",
            message: "one\ntwo\u001b[31m",
            lastSeenAt: aged(12 * 24 * 60 * MINUTE).createdAt,
            reportedBy: ""
          })
        )
      }))
      const { status, stderr, stdout } = yield* quarterdeck(["events"], { env })
      assert.strictEqual(
        stdout,
        "CLUSTER  NAMESPACE  LAST SEEN  TYPE     REASON    OBJECT       MESSAGE\n"
          + "prod     web        5m1s       Warning  BackOff   Pod/shop-1   Back-off restarting failed container\n"
          + "prod     <none>     12d        Normal   Starting  Node/node-1  one\\u{a}two\\u{1b}[31m\n"
      )
      assert.deepStrictEqual([status, stderr], [0, ""])
      const wide = (yield* quarterdeck(["events", "-o", "wide"], { env })).stdout.split("\n")
      assert.match(wide[0] ?? "", /MESSAGE {31}SOURCE   FIRST SEEN  COUNT$/)
      assert.match(wide[1] ?? "", /kubelet  3h {10}7$/)
    })
  )

  it.live("prints every field as CSV, and the server's reply as JSON", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: bodyOf(event()) }))
      assert.strictEqual(
        (yield* quarterdeck(["events", "-o", "csv"], { env })).stdout,
        "cluster,namespace,object,objectId,type,reason,message,count,firstSeenAt,lastSeenAt,reportedBy,id\n"
          + "prod,web,Pod/shop-1,uid-shop-1,Warning,BackOff,Back-off restarting failed container,7,2026-01-02T03:04:05.000Z,2026-01-02T04:04:05.000Z,kubelet,uid-1\n"
      )
      assert.deepStrictEqual(json((yield* quarterdeck(["events", "-o", "json"], { env })).stdout), bodyOf(event()))
    })
  )

  it.live("sends every flag, in kubectl's words", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: bodyOf() }))
      const args = ["-n", "web,api", "--for", "po/shop-1", "--types", "Warning", "--reason", "BackOff,Failed"]
      const more = ["--sort", "namespace", "--order", "asc", "--limit", "20", "--consistency", "live"]
      yield* quarterdeck(["events", "-c", "prod|eu", ...args, ...more], { env })
      assert.sameDeepMembers(
        [...(seen[0]?.url.searchParams ?? [])],
        [
          ["consistency", "live"],
          ["limit", "20"],
          ["namespace", "api"],
          ["namespace", "web"],
          ["order", "asc"],
          ["reason", "BackOff"],
          ["reason", "Failed"],
          ["regarding", "Pod/shop-1"],
          ["sort", "namespace"],
          ["type", "Warning"]
        ]
      )
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/events")
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "prod|eu")
    })
  )

  it.live.each<[string, string]>([
    ["regarding", "--for"],
    ["type[0]", "--types"],
    ["reason[1]", "--reason"]
  ])("ends with 2 and the flag at fault where the server refuses the %s", ([field, flag]) =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "invalid_parameter", { field, detail: "is none" }))
      const { status, stderr } = yield* quarterdeck(["events", flag, "x"], { env })
      assert.match(stderr, new RegExp(`^quarterdeck: ${flag}: is none `))
      assert.strictEqual(status, 2)
    })
  )
})
