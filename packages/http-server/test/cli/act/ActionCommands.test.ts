import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { json, problem, quarterdeck, type Reply, type Seen, service } from "../program.ts"

/** Answers an action as the service does: a dry run by what would be. */
const acting =
  (before: object, after: object) =>
  ({ body, url }: Seen): Reply => {
    if (url.pathname === "/api/v1/clusters") {
      return { body: { clusters: [], partial: false } }
    }
    const given = json(body)
    const isDryRun = typeof given === "object" && given !== null && "dryRun" in given
    const [cluster, namespace, kind, name] = url.pathname.split("/").slice(4)
    const place = { cluster, namespace, kind, name }
    const status = isDryRun ? "dryRun" : "applied"
    return { body: { ...place, status, resourceVersion: isDryRun ? "7" : "8", before, after } }
  }

const scaling = acting({ replicas: 2 }, { replicas: 3 })
const WEB = ["deploy/web", "-n", "shop", "-c", "prod"]
const PATH = "/api/v1/workloads/prod/shop/Deployment/web/scale"
const LINE = "Deployment/web in prod/shop: replicas 2 -> 3\n"

describe("quarterdeck scale", () => {
  it.live("takes kubectl's words, and asks nobody where there is no terminal", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const done = yield* quarterdeck(["scale", ...WEB, "--replicas", "3"], { env })
      assert.deepStrictEqual(done, { stdout: LINE, stderr: "", status: 0 })
      assert.deepStrictEqual(
        seen.map(({ body, method, url }) => [method, url.pathname, json(body)]),
        [["POST", PATH, { replicas: 3 }]]
      )
    })
  )

  it.live("has the cluster judge it with --dry-run, and says that nothing was changed", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const done = yield* quarterdeck(["scale", ...WEB, "--replicas", "3", "--dry-run"], { env })
      assert.deepStrictEqual(done, { stdout: LINE, stderr: "quarterdeck: nothing was changed\n", status: 0 })
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { replicas: 3, dryRun: true })
    })
  )

  it.live("shows on a terminal what will change, and changes that version when it is agreed to", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const args = ["scale", ...WEB, "--replicas", "3"]
      const done = yield* quarterdeck(args, { env, stdin: "y\n", isTerminal: true })
      assert.deepStrictEqual(done, {
        stdout: LINE,
        stderr: "quarterdeck: scale Deployment/web in prod/shop: replicas 2 -> 3? [y/N] ",
        status: 0
      })
      assert.deepStrictEqual(
        seen.map(({ body }) => json(body)),
        [
          { replicas: 3, dryRun: true },
          { replicas: 3, resourceVersion: "7" }
        ]
      )
    })
  )

  it.live.each(["n\n", "\n", "", "yesterday\n"])("changes nothing when the answer is %j", (stdin) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const done = yield* quarterdeck(["scale", ...WEB, "--replicas", "3"], { env, stdin, isTerminal: true })
      assert.strictEqual(done.status, 1)
      assert.match(done.stderr, /quarterdeck: nothing was changed\n$/)
      assert.lengthOf(seen, 1)
    })
  )

  it.live("does not ask with --yes, and changes the version that it is told", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const args = ["scale", ...WEB, "--replicas", "3", "--yes", "--resource-version", "5", "-o", "json"]
      const done = yield* quarterdeck(args, { env, isTerminal: true })
      assert.deepInclude(json(done.stdout), { status: "applied", resourceVersion: "8" })
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), { replicas: 3, resourceVersion: "5" })
    })
  )

  it.live.each<[string, ReadonlyArray<string>, RegExp]>([
    [
      "a name without a kind",
      ["web", "--replicas", "3"],
      /workload must be a kind and a name, such as deployment\/web/
    ],
    ["no replicas", WEB, /--replicas is missing/],
    ["too many replicas", [...WEB, "--replicas", "10001"], /--replicas must be a whole number from 0 to 10000/],
    ["a kind without labels", ["deploy", "--replicas", "3"], /a kind alone needs --label-selector/],
    ["a name with labels", [...WEB, "-l", "a=b", "--replicas", "3"], /--label-selector needs a kind without a name/],
    [
      "a name in all namespaces",
      ["deploy/web", "-A", "--replicas", "3"],
      /--all-namespaces needs --label-selector and no name/
    ],
    [
      "a version of many",
      ["deploy/web", "-c", "a|b", "--replicas", "3", "--yes", "--resource-version", "1"],
      /--resource-version needs one workload/
    ],
    ["many without anybody to ask", ["deploy/web", "-c", "a|b", "--replicas", "3"], /without a terminal needs --yes/]
  ])("refuses %s", ([, args, told]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(scaling)
      const { status, stderr } = yield* quarterdeck(["scale", ...args], { env })
      assert.match(stderr, told)
      assert.deepStrictEqual([status, seen.length], [2, 0])
    })
  )

  it.live("asks for a cluster where none is named and the key does not reach the parent", () =>
    Effect.gen(function* () {
      const { env } = yield* service(scaling)
      const { status, stderr } = yield* quarterdeck(["scale", "deploy/web", "--replicas", "3"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: the server's parent cluster is outside the key's scope: name the cluster with --cluster\n"
      )
      assert.strictEqual(status, 2)
    })
  )

  it.live("tells what the service refused, and by which flag", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "action_unsupported", { field: "kind", detail: "kind: no" }))
      const refused = yield* quarterdeck(["scale", "ds/agent", "-c", "prod", "--replicas", "3"], { env })
      assert.match(refused.stderr, /^quarterdeck: workload: no \(HTTP 400, code action_unsupported/)
      assert.strictEqual(refused.status, 2)
    })
  )
})

describe("quarterdeck restart, pause and resume", () => {
  it.live.each<[string, string, object, object, string]>([
    [
      "restart",
      "sts/db",
      {},
      { restartedAt: "2026-01-02T03:04:05.000Z" },
      "restarted never -> 2026-01-02T03:04:05.000Z"
    ],
    ["pause", "deployment/web", { isPaused: false }, { isPaused: true }, "paused false -> true"],
    ["resume", "cj/report", { isPaused: true }, { isPaused: false }, "paused true -> false"]
  ])("%s %s", ([action, workload, before, after, told]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(acting(before, after))
      const { status, stdout } = yield* quarterdeck([action, workload, "-n", "shop", "-c", "prod"], { env })
      assert.include(stdout, ` in prod/shop: ${told}\n`)
      assert.strictEqual(status, 0)
      assert.match(seen[0]?.url.pathname ?? "", new RegExp(`/${action}$`))
      assert.deepStrictEqual(json(seen[0]?.body ?? ""), {})
    })
  )
})
