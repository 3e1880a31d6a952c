import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { aged } from "../ages.ts"
import { coverage, json, problem, quarterdeck, service, workload } from "../program.ts"

describe("quarterdeck workloads, as kubectl has it", () => {
  it.live("takes kubectl's flags, and its words for kinds in any case", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { workloads: [], clusters: [], partial: false } }))
      yield* quarterdeck(["workloads", "-n", "web,api", "--kind", "deploy,STS,cronjobs,Pod,Rollout"], { env })
      assert.deepStrictEqual(seen[0]?.url.searchParams.getAll("namespace"), ["web", "api"])
      assert.deepStrictEqual(seen[0]?.url.searchParams.getAll("kind"), [
        ...["Deployment", "StatefulSet", "CronJob", "Pod", "Rollout"]
      ])
      yield* quarterdeck(["workloads", "-A"], { env })
      assert.deepStrictEqual(seen[1]?.url.searchParams.getAll("namespace"), [])
      const both = yield* quarterdeck(["workloads", "-A", "-n", "web"], { env })
      assert.strictEqual(both.stderr, "quarterdeck: --all-namespaces cannot be used with --namespace\n")
      assert.deepStrictEqual([both.status, seen.length], [2, 2])
    })
  )

  it.live("takes --type for --kind, and names the flag of a kind that the server refuses", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() =>
        problem(400, "invalid_parameter", { field: "kind[0]", detail: "is none" })
      )
      const refused = yield* quarterdeck(["workloads", "--type", "deploy,foo"], { env })
      assert.deepStrictEqual(seen[0]?.url.searchParams.getAll("kind"), ["Deployment", "foo"])
      assert.match(refused.stderr, /^quarterdeck: --kind: /)
      assert.strictEqual(refused.status, 2)
    })
  )

  it.live.each([
    ["workloads", "namespace[0]", "--namespace"],
    ["workloads", "labelSelector", "--label-selector"],
    ["workloads", "name", "--name"],
    ["namespaces", "labelSelector", "--label-selector"],
    ["namespaces", "name", "--name"]
  ] as const)("ends with 2 and the flag at fault where the server refuses of %s the %s", ([command, field, flag]) =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "invalid_parameter", { field, detail: "is none" }))
      const { status, stderr } = yield* quarterdeck([command, flag, "x"], { env })
      assert.match(stderr, new RegExp(`^quarterdeck: ${flag}: is none `))
      assert.strictEqual(status, 2)
    })
  )

  it.live("prints more columns as wide, names that other commands take, and the whole answer as YAML", () =>
    Effect.gen(function* () {
      const body = {
        workloads: [workload("shop", { labels: { on: "yes", version: "1.10" }, ...aged(60_000) })],
        clusters: [coverage("prod")],
        partial: false
      }
      const { env } = yield* service(() => ({ body }))
      const print = (format: string) => quarterdeck(["workloads", "-o", format], { env })
      assert.strictEqual(
        (yield* print("wide")).stdout,
        "CLUSTER  NAMESPACE  KIND        NAME  STATUS    READY  CPU  MEMORY  AGE  UPDATED  AVAILABLE  CPU LIMIT  MEMORY LIMIT  IMAGES          LABELS\n"
          + "prod     web        Deployment  shop  degraded  2/3    1.5  3Gi     61s  3        2          3          6Gi           shop:1,proxy:2  on=yes,version=1.10\n"
      )
      assert.strictEqual((yield* print("name")).stdout, "prod/web/Deployment/shop\n")
      const yaml = (yield* print("yaml")).stdout
      assert.deepStrictEqual(parse(yaml), body)
      assert.match(yaml, /^workloads:\n {2}- id: uid-shop\n/)
    })
  )

  it.live("folds alike warnings into one line", () =>
    Effect.gen(function* () {
      const failing = (name: string) =>
        coverage(name, {
          ...{
            status: "timeout",
            error: { code: "cluster_timeout", message: `cluster ${name} did not answer within 3000 ms` }
          }
        })
      const clusters = [
        ...["c1", "c2", "c3", "c4", "c5", "c6", "c7"].map(failing),
        coverage("old", { status: "stale", ageMs: 5_000 }),
        coverage("older", { status: "stale", ageMs: 9_000 }),
        coverage("part", { missingKinds: ["Job"] })
      ]
      const { env } = yield* service(() => ({ body: { workloads: [workload("shop")], clusters, partial: true } }))
      const { stderr } = yield* quarterdeck(["workloads", "-c", "*"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: clusters c1, c2, c3, c4, c5 and 2 more: timeout, their rows are missing: did not answer within 3000 ms\n"
          + "quarterdeck: warning: clusters old, older: stale, their rows are up to 9 s old\n"
          + "quarterdeck: warning: cluster part: rows of Job are missing\n"
      )
    })
  )
})

describe("quarterdeck namespaces", () => {
  const namespace = (name: string, facts: Record<string, unknown> = {}) => ({
    id: `uid-${name}`,
    cluster: "prod",
    name,
    labels: { team: "web" },
    phase: "Active",
    ...aged(2 * 86_400_000),
    ...facts
  })

  it.live("sends its flags and prints a table, names, and the answer", () =>
    Effect.gen(function* () {
      const body = {
        namespaces: [namespace("shop"), namespace("old", { phase: "Terminating" })],
        clusters: [coverage("prod")],
        partial: false
      }
      const { env, seen } = yield* service(() => ({ body }))
      const { status, stderr, stdout } = yield* quarterdeck(
        ["namespaces", "-c", "prod", "-l", "team=web", "--name", "s", "--sort", "cluster", "--order", "desc"],
        { env }
      )
      assert.strictEqual(
        stdout,
        "CLUSTER  NAME  STATUS       AGE\nprod     shop  Active       2d\nprod     old   Terminating  2d\n"
      )
      assert.deepStrictEqual([status, stderr], [0, ""])
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/namespaces")
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "prod")
      assert.deepStrictEqual(Object.fromEntries(seen[0]?.url.searchParams ?? []), {
        labelSelector: "team=web",
        name: "s",
        sort: "cluster",
        order: "desc",
        limit: "500"
      })
      assert.strictEqual((yield* quarterdeck(["namespaces", "-o", "name"], { env })).stdout, "prod/shop\nprod/old\n")
      assert.deepStrictEqual(json((yield* quarterdeck(["namespaces", "-o", "json"], { env })).stdout), body)
    })
  )

  it.live("says which clusters were asked when none matches, and which did not answer", () =>
    Effect.gen(function* () {
      const clusters = [coverage("prod"), coverage("stage", { status: "timeout" })]
      const { env } = yield* service(() => ({ body: { namespaces: [], clusters, partial: true } }))
      const { stderr } = yield* quarterdeck(["namespaces"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: no namespaces match (asked: prod ok, stage timeout); --cluster '*' asks every cluster of the key\n"
          + "quarterdeck: warning: cluster stage: timeout, its rows are missing\n"
      )
    })
  )
})

describe("quarterdeck whoami", () => {
  it.live("prints the key that asks, and never its secret", () =>
    Effect.gen(function* () {
      const apiKey = {
        id: "key_1",
        name: "ci",
        start: "qd_7HkQ2m",
        status: "active",
        source: "created",
        rule: { role: "Viewer", targetClusters: ["prod"] },
        createdAt: "2026-01-02T03:04:05.000Z",
        expiresAt: "2030-01-02T03:04:05.000Z"
      }
      const { env, seen } = yield* service(() => ({ body: apiKey }))
      const { status, stdout } = yield* quarterdeck(["whoami"], { env })
      assert.strictEqual(
        stdout,
        "ID     NAME  START      STATUS  ROLE    CLUSTERS  NAMESPACES  SOURCE   EXPIRES                   LAST USED\n"
          + "key_1  ci    qd_7HkQ2m  active  Viewer  prod      all         created  2030-01-02T03:04:05.000Z  -\n"
      )
      assert.strictEqual(status, 0)
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/whoami")
      assert.deepStrictEqual(parse((yield* quarterdeck(["whoami", "-o", "yaml"], { env })).stdout), apiKey)
    })
  )
})
