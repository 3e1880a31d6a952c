import { assert, describe, it } from "@effect/vitest"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Schema } from "effect"
import { aged } from "../ages.ts"
import { API_KEY, cluster, coverage, json, quarterdeck, service, workload } from "../program.ts"

describe("quarterdeck workloads", () => {
  it.live("asks with the key as Bearer and prints a table", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({
        body: {
          workloads: [
            workload("shop", aged(3_600_000)),
            workload("a", { namespace: "api", cluster: "eu", ...aged(9 * 86_400_000) })
          ],
          clusters: [coverage("prod")],
          partial: false
        }
      }))
      const { status, stderr, stdout } = yield* quarterdeck(["workloads"], { env })
      assert.strictEqual(
        stdout,
        "CLUSTER  NAMESPACE  KIND        NAME  STATUS    READY  CPU  MEMORY  AGE\n"
          + "prod     web        Deployment  shop  degraded  2/3    1.5  3Gi     60m\n"
          + "eu       api        Deployment  a     degraded  2/3    1.5  3Gi     9d\n"
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(status, 0)
      assert.lengthOf(seen, 1)
      assert.strictEqual(seen[0]?.method, "GET")
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/workloads")
      assert.strictEqual(seen[0]?.headers.authorization, `Bearer ${API_KEY}`)
      assert.isUndefined(seen[0]?.headers["x-service-cluster"])
    })
  )

  it.live("lets no control character of an answer through, in no format", () =>
    Effect.gen(function* () {
      const name = "shop\u001b[31m\u009b2J\u202e\u0007"
      const { env } = yield* service(() => ({
        body: { workloads: [workload(name)], clusters: [coverage("prod")], partial: false }
      }))
      for (const format of ["table", "wide", "name", "csv", "json", "yaml"]) {
        const { stdout } = yield* quarterdeck(["workloads", "-o", format], { env })
        assert.include(stdout, "shop")
        assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u, format)
      }
    })
  )

  it.live("sends every flag, the target as the header that the server is set to", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: { workloads: [], clusters: [], partial: false } }))
      const args = [
        "workloads",
        "--cluster",
        "prod|stage",
        "--namespace",
        "web,api",
        "--kind",
        "Deployment,Job",
        "-l",
        "app in (a,b)",
        "--name",
        "sh&op",
        "--sort",
        "cpuRequestMillis",
        "--order",
        "desc",
        "--limit",
        "7",
        "--consistency",
        "live"
      ]
      const { status } = yield* quarterdeck(args, { env: { ...env, QUARTERDECK_CLUSTER_HEADER: "X-Target" } })
      assert.strictEqual(status, 0)
      assert.strictEqual(seen[0]?.headers["x-target"], "prod|stage")
      const query = seen[0]?.url.searchParams
      query?.sort()
      assert.deepStrictEqual(
        [...(query ?? [])],
        [
          ["consistency", "live"],
          ["kind", "Deployment"],
          ["kind", "Job"],
          ["labelSelector", "app in (a,b)"],
          ["limit", "7"],
          ["name", "sh&op"],
          ["namespace", "web"],
          ["namespace", "api"],
          ["order", "desc"],
          ["sort", "cpuRequestMillis"]
        ]
      )
    })
  )

  it.live("prints what the clusters answered, and tells of each that did not", () =>
    Effect.gen(function* () {
      const clusters = [
        coverage("prod"),
        coverage("stage", { status: "timeout", error: { code: "timeout", message: "no answer\nwithin 3000 ms" } }),
        coverage("old", {
          status: "stale",
          ageMs: 125_000,
          error: { code: "cluster_timeout", message: "cluster old did not answer within 1500 ms" }
        }),
        coverage("part", { missingKinds: ["Job", "CronJob"] })
      ]
      const { env } = yield* service(() => ({ body: { workloads: [workload("shop")], clusters, partial: true } }))
      const { status, stderr, stdout } = yield* quarterdeck(["workloads", "-c", "*", "-o", "json"], { env })
      assert.strictEqual(status, 0)
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: cluster stage: timeout, its rows are missing: no answer\\u{a}within 3000 ms\n"
          + "quarterdeck: warning: cluster old: stale, its rows are 125 s old: did not answer within 1500 ms\n"
          + "quarterdeck: warning: cluster part: rows of Job, CronJob are missing\n"
      )
      assert.deepStrictEqual(json(stdout), { workloads: [workload("shop")], clusters, partial: true })
    })
  )

  it.live("reads pages up to the limit, keeps what a page was missing, and tells of more rows", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 7_000 }, (_, index) => `w${index}`)
      const { env, seen } = yield* service(({ url }, index) => {
        const limit = Number(url.searchParams.get("limit"))
        const from = Number(url.searchParams.get("cursor") ?? 0)
        const page = names.slice(from, from + limit)
        return {
          body: {
            workloads: page.map((name) => workload(name)),
            clusters: [coverage("prod", index === 0 ? { status: "unreachable" } : {})],
            partial: index === 0,
            ...(from + limit < names.length ? { nextCursor: String(from + limit) } : {})
          }
        }
      })
      const { stderr, stdout } = yield* quarterdeck(["workloads", "--limit", "6000", "-o", "json"], { env })
      const whole = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadList))(stdout)
      assert.deepStrictEqual(
        whole.workloads.map(({ name }) => name),
        names.slice(0, 6_000)
      )
      assert.strictEqual(whole.partial, true)
      assert.strictEqual(whole.nextCursor, "6000")
      assert.deepStrictEqual(
        seen.map(({ url }) => url.searchParams.get("limit")),
        ["5000", "1000"]
      )
      assert.strictEqual(
        stderr,
        "quarterdeck: note: more rows match than the 6000 of --limit\n"
          + "quarterdeck: warning: cluster prod: unreachable, its rows are missing\n"
      )
    })
  )

  it.live("prints CSV with exact units that no spreadsheet runs as a formula", () =>
    Effect.gen(function* () {
      const evil = workload("shop", {
        name: "=cmd|' /C calc'!A0",
        labels: { "@x": "1" },
        images: ['a,"b"'],
        namespace: "-1+1"
      })
      const { env } = yield* service(() => ({
        body: { workloads: [evil], clusters: [coverage("prod")], partial: false }
      }))
      const { stdout } = yield* quarterdeck(["workloads", "-o", "csv"], { env })
      assert.strictEqual(
        stdout,
        "cluster,namespace,kind,name,status,reason,since,desired,ready,updated,available,cpuRequestMillis,memoryRequestBytes,"
          + "cpuLimitMillis,memoryLimitBytes,images,labels,createdAt,id\n"
          + 'prod,\'-1+1,Deployment,\'=cmd|\' /C calc\'!A0,degraded,,,3,2,3,2,1500,3221225472,3000,6442450944,"a,""b""",\'@x=1,'
          + "2026-01-02T03:04:05Z,uid-shop\n"
      )
    })
  )

  it.live("shows what a cluster wrote without letting it move the cursor", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({
        body: { workloads: [workload("a\u001b[2J\r\n\u202eb")], clusters: [coverage("prod")], partial: false }
      }))
      const { stdout } = yield* quarterdeck(["workloads"], { env })
      assert.include(stdout, "a\\u{1b}[2J\\u{d}\\u{a}\\u{202e}b")
      assert.lengthOf(stdout.trimEnd().split("\n"), 2)
    })
  )

  it.live("ends at a page without rows, whatever cursor it carries", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({
        body: { workloads: [], clusters: [coverage("prod")], partial: false, nextCursor: "again" }
      }))
      const { status } = yield* quarterdeck(["workloads"], { env })
      assert.strictEqual(status, 0)
      assert.lengthOf(seen, 1)
    })
  )
})

describe("quarterdeck clusters", () => {
  it.live("prints a table, a cell that is not known as -, and tells of each cluster that did not answer", () =>
    Effect.gen(function* () {
      const down = cluster("stage", {
        reachable: false,
        version: null,
        lastSeen: null,
        nodes: null,
        pods: null,
        unhealthyWorkloads: null,
        cpuAllocatableMillis: null,
        memoryAllocatableBytes: null,
        cpuRequestMillis: null,
        memoryRequestBytes: null,
        errorCode: "unreachable",
        coverage: coverage("stage", { status: "unreachable", error: { code: "unreachable", message: "refused" } })
      })
      const lastSeen = new Date(Date.now() - 3 * 3_600_000 - 1_000).toISOString()
      const message = "cluster old did not answer within 1500 ms"
      const old = cluster("old", {
        lastSeen,
        reachable: false,
        coverage: coverage("old", { status: "stale", ageMs: 125_000, error: { code: "cluster_timeout", message } })
      })
      const { env, seen } = yield* service(() => ({
        body: { clusters: [cluster("prod", { role: "parent", lastSeen }), old, down], partial: true }
      }))
      const { status, stderr, stdout } = yield* quarterdeck(["clusters", "--cluster", "*"], { env })
      assert.strictEqual(
        stdout,
        "NAME   ROLE    STATUS       VERSION  NODES  PODS  UNHEALTHY  CPU   CPU REQUESTED  MEMORY  MEMORY REQUESTED  LAST SEEN  REASON\n"
          + "prod   parent  ok           v1.34.1  3      40    2          11.5  4.25           32Gi    10Gi              3h\n"
          + "old    child   stale        v1.34.1  3      40    2          11.5  4.25           32Gi    10Gi              3h         rows are 125 s old; did not answer within 1500 ms\n"
          + "stage  child   unreachable  -        -      -     -          -     -              -       -                 -          refused\n"
      )
      assert.strictEqual(
        stderr,
        "quarterdeck: warning: cluster old: stale, its rows are 125 s old: did not answer within 1500 ms\n"
          + "quarterdeck: warning: cluster stage: unreachable, its rows are missing: refused\n"
      )
      assert.strictEqual(status, 0)
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "*")
    })
  )

  it.live("prints the answer as JSON and as CSV", () =>
    Effect.gen(function* () {
      const body = { clusters: [cluster("prod")], partial: false }
      const { env } = yield* service(() => ({ body }))
      const printed = yield* quarterdeck(["clusters", "-o", "json"], { env })
      assert.deepStrictEqual(json(printed.stdout), body)
      const csv = yield* quarterdeck(["clusters", "-o", "csv"], { env })
      assert.strictEqual(
        csv.stdout,
        "name,role,reachable,status,source,ageMs,version,nodes,pods,unhealthyWorkloads,cpuAllocatableMillis,memoryAllocatableBytes,cpuRequestMillis,memoryRequestBytes,lastSeen,errorCode,labels,sameCluster\n"
          + "prod,child,true,ok,cache,5,v1.34.1,3,40,2,11500,34359738368,4250,10737418240,2026-01-02T03:04:05Z,,env=prod,\n"
      )
    })
  )
})
