import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cluster, coverage, json, problem, quarterdeck, service, workload } from "../program.ts"
import { apiKey } from "../keys/keyReply.ts"

const NO_ROWS = { pods: [], workloads: [], events: [], partial: false }

const namespace = (name: string, cluster: string) => ({
  id: `uid-${cluster}-${name}`,
  cluster,
  name,
  labels: {},
  phase: "Active",
  createdAt: "2026-01-02T03:04:05Z"
})

/** A service without a pod, whose clusters have these namespaces. */
const fleet = (names: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const clusters = Object.keys(names).map((name) => coverage(name))
  return service(({ url }) => ({
    body:
      url.pathname === "/api/v1/namespaces"
        ? {
            namespaces: Object.entries(names).flatMap(([cluster, all]) => all.map((name) => namespace(name, cluster))),
            clusters,
            partial: false
          }
        : { ...NO_ROWS, clusters }
  }))
}

describe("a list of a namespace that is not there", () => {
  it.live.each(["pods", "workloads", "events"])("%s says so, and what may have been meant", (what) =>
    Effect.gen(function* () {
      const { env, seen } = yield* fleet({ prod: ["shop", "kube-system"] })
      const { status, stderr } = yield* quarterdeck([what, "-n", "shpo", "-c", "prod"], { env })
      assert.strictEqual(status, 0)
      assert.strictEqual(
        stderr,
        `quarterdeck: no ${what} match (asked: prod ok)\n`
          + "quarterdeck: cluster prod lists no namespace shpo; did you mean shop?\n"
      )
      assert.deepStrictEqual(
        seen.map(({ headers }) => headers["x-service-cluster"]),
        ["prod", "prod"]
      )
    })
  )

  it.live("says it of each that no asked cluster has, and of none that one of them has", () =>
    Effect.gen(function* () {
      const { env } = yield* fleet({ hub: ["web"], prod: ["shop"] })
      const { stderr } = yield* quarterdeck(["pods", "-n", "shop,shpo,billing", "-c", "*"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: no pods match (asked: hub ok, prod ok)\n"
          + "quarterdeck: none of these clusters lists a namespace shpo\n"
          + "quarterdeck: none of these clusters lists a namespace billing\n"
      )
    })
  )

  it.live(
    "is not looked into where there are rows, where no namespace is named, or where a cluster did not answer",
    () =>
      Effect.gen(function* () {
        const full = yield* service(() => ({
          body: { workloads: [workload("a")], clusters: [coverage("prod")], partial: false }
        }))
        yield* quarterdeck(["workloads", "-n", "web"], full)
        assert.lengthOf(full.seen, 1)
        const empty = yield* fleet({ prod: [] })
        yield* quarterdeck(["workloads"], empty)
        assert.lengthOf(empty.seen, 1)
        const partial = yield* service(() => ({
          body: { ...NO_ROWS, clusters: [coverage("prod", { status: "timeout" })], partial: true }
        }))
        yield* quarterdeck(["workloads", "-n", "web"], partial)
        assert.lengthOf(partial.seen, 1)
      })
  )

  it.live.each([
    [
      "the list is refused",
      problem(429, "rate_limited", { detail: "too many requests" }),
      /too many requests \(HTTP 429/
    ],
    [
      "a cluster lacks",
      { body: { namespaces: [], clusters: [coverage("prod", { status: "timeout" })], partial: true } },
      /cluster prod did not list all its namespaces/
    ],
    [
      "what a cluster listed is old",
      { body: { namespaces: [], clusters: [coverage("prod", { status: "stale" })], partial: false } },
      /cluster prod did not list all its namespaces/
    ]
  ] as const)("is told to be unknown where %s, and the command ends well", ([, reply, reason]) =>
    Effect.gen(function* () {
      const { env } = yield* service(({ url }) =>
        url.pathname === "/api/v1/namespaces" ? reply : { body: { ...NO_ROWS, clusters: [coverage("prod")] } }
      )
      const { status, stderr } = yield* quarterdeck(["pods", "-n", "shop"], { env })
      assert.strictEqual(status, 0)
      assert.match(stderr, /cannot check whether the namespaces exist: /)
      assert.match(stderr, reason)
    })
  )
})

describe("a list of namespaces", () => {
  it.live("that has rows of some is looked into for the others, unless more rows follow", () =>
    Effect.gen(function* () {
      const listed = { workloads: [workload("a", { namespace: "shop" })], clusters: [coverage("prod")], partial: false }
      const ask = (more: object) =>
        Effect.gen(function* () {
          const { env } = yield* service(({ url }) =>
            url.pathname === "/api/v1/namespaces"
              ? { body: { namespaces: [namespace("shop", "prod")], clusters: [coverage("prod")], partial: false } }
              : { body: { ...listed, ...more } }
          )
          return (yield* quarterdeck(["workloads", "-n", "shop,shpo", "--limit", "1"], { env })).stderr
        })
      assert.strictEqual(yield* ask({}), "quarterdeck: cluster prod lists no namespace shpo\n")
      assert.strictEqual(
        yield* ask({ nextCursor: "next" }),
        "quarterdeck: note: more rows match than the 1 of --limit\n"
      )
    })
  )

  it.live("that are all there says nothing of them, though another cluster did not answer", () =>
    Effect.gen(function* () {
      const { env } = yield* service(({ url }) =>
        url.pathname === "/api/v1/namespaces"
          ? {
              body: {
                namespaces: [namespace("shop", "prod")],
                clusters: [coverage("prod"), coverage("hub", { status: "timeout" })],
                partial: true
              }
            }
          : { body: { ...NO_ROWS, clusters: [coverage("prod"), coverage("hub")] } }
      )
      const { stderr } = yield* quarterdeck(["pods", "-n", "shop", "-c", "*"], { env })
      assert.strictEqual(stderr, "quarterdeck: no pods match (asked: prod ok, hub ok)\n")
    })
  )

  it.live("is judged as it was asked for: live, if that was; JSON stays the answer alone; of many five are told", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* fleet({ prod: ["shop"] })
      const names = ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]
      const args = ["pods", "-n", names.join(","), "--consistency", "live", "-o", "json"]
      const { stderr, stdout } = yield* quarterdeck(args, { env })
      assert.deepStrictEqual(json(stdout), { pods: [], clusters: [coverage("prod")], partial: false })
      assert.deepStrictEqual(stderr.trimEnd().split("\n").slice(1), [
        ...names.slice(0, 5).map((name) => `quarterdeck: cluster prod lists no namespace ${name}`),
        "quarterdeck: 2 more of the namespaces do not exist"
      ])
      assert.strictEqual(seen[1]?.url.searchParams.get("consistency"), "live")
    })
  )
})

describe("the namespaces that a key names", () => {
  const world = (rule: object) =>
    service(({ url }) => {
      if (url.pathname === "/api/v1/namespaces") {
        const namespaces = [namespace("shop", "prod"), namespace("web", "stage")]
        return { body: { namespaces, clusters: [coverage("prod"), coverage("stage")], partial: false } }
      }
      if (url.pathname === "/api/v1/clusters") {
        return { body: { clusters: [cluster("prod"), cluster("stage")], partial: false } }
      }
      return url.pathname.endsWith("k1")
        ? { body: apiKey("k1", { rule }) }
        : { status: 201, body: { key: "qd_the-secret-itself", apiKey: apiKey("k1", { rule }) } }
    })

  it.live("create tells of those that no cluster of the key has", () =>
    Effect.gen(function* () {
      const labelSelector = { matchLabels: { team: "web" } }
      const targetNamespaces = [{ namespaceNames: ["shpo", "web"] }, { namespaceNames: ["later"], labelSelector }]
      const { env, seen } = yield* world({ role: "Viewer", targetNamespaces })
      const { status, stderr } = yield* quarterdeck(
        ["key", "create", "--name", "ci", "--role", "Viewer", "--namespaces", "shpo,web"],
        { env }
      )
      assert.strictEqual(status, 0)
      assert.deepStrictEqual(stderr.split("\n").slice(1), [
        "quarterdeck: no cluster of the key lists a namespace shpo: the key applies to it once it exists; did you mean shop?",
        "quarterdeck: no cluster of the key lists a namespace later: the key applies to it once it exists with the labels of the rule",
        ""
      ])
      assert.strictEqual(seen[1]?.headers["x-service-cluster"], "*")
    })
  )

  it.live("update asks those of the key's clusters that there are, and counts no other", () =>
    Effect.gen(function* () {
      const rule = {
        role: "Viewer",
        targetClusters: ["prod", "later"],
        targetNamespaces: [{ namespaceNames: ["web"] }]
      }
      const { env, seen } = yield* world(rule)
      const { status, stderr } = yield* quarterdeck(["key", "update", "k1", "--namespaces", "web"], { env })
      assert.strictEqual(status, 0)
      assert.match(stderr, /no cluster of the key lists a namespace web: the key applies to it once it exists\n$/)
      assert.strictEqual(seen.at(-1)?.headers["x-service-cluster"], "prod")
    })
  )

  it.live("create asks no cluster where none of the key's is there", () =>
    Effect.gen(function* () {
      const rule = { role: "Viewer", targetClusters: ["later"], targetNamespaces: [{ namespaceNames: ["web"] }] }
      const { env, seen } = yield* world(rule)
      const args = ["--name", "ci", "--role", "Viewer", "--namespaces", "web", "--clusters", "later"]
      const { stderr } = yield* quarterdeck(["key", "create", ...args], { env })
      assert.notInclude(stderr, "namespace")
      assert.lengthOf(seen, 2)
      assert.notInclude(seen.map(({ url }) => url.pathname).join(), "namespaces")
    })
  )
})
