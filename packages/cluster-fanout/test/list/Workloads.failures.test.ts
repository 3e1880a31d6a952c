import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FanOutFailed } from "../../src/list/ListError.ts"
import { all, fillOne, fillTwo, list, onFleet, timed, where, workloadsOf } from "../fixture/Service.ts"

const both = all("a", "b")

describe("Workloads, when clusters fail", () => {
  it.effect("a dead cluster is a coverage row, never a zero", () =>
    onFleet(
      ["a", "b"],
      (fleet) => {
        fillTwo(fleet)
        fleet.server("b").trouble = "dead"
      },
      () =>
        Effect.gen(function* () {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(both)))
          assert.strictEqual(items.length, 3)
          assert.isTrue(partial)
          assert.deepStrictEqual(
            clusters.map(({ status }) => status),
            ["ok", "unreachable"]
          )
          assert.strictEqual(clusters[1]?.error?.code, "cluster_unreachable")
          assert.notInclude(JSON.stringify(clusters), "internal.example")
        })
    )
  )

  it.effect("a cluster that never answers times out at the deadline, and alone fails the whole", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fleet.server("a").trouble = "hanging"
      },
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { timeoutMs: 1_000 } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_timeout")
          assert.isAtMost(error.coverages[0]?.latencyMs ?? Infinity, 1_000)
        })
    )
  )

  it.effect.each(["cache", "live"] as const)("refused credentials are reported at once: %s", (consistency) =>
    onFleet(
      ["a"],
      (fleet) => {
        fleet.server("a").trouble = "unauthorized"
      },
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { consistency } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_unreachable")
          assert.strictEqual(error.coverages[0]?.status, "unauthorized")
          assert.isBelow(error.coverages[0]?.latencyMs ?? Infinity, 1_000)
        })
    )
  )

  it.effect("a throttling cluster says how long to wait", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fleet.server("a").trouble = "throttled"
      },
      () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(timed(list(workloadsOf(all("a"), { page: { consistency: "live" } }))))
          assert.instanceOf(error, FanOutFailed)
          assert.strictEqual(error.code, "cluster_throttled")
          assert.strictEqual(error.coverages[0]?.error?.retryAfterMs, 2_000)
        })
    )
  )

  it.effect.each(["cache", "live"] as const)(
    "kinds that may not be read are missing, and forbidden only when all are: %s",
    (consistency) =>
      onFleet(
        ["a", "b"],
        (fleet) => {
          fillTwo(fleet)
          fleet.server("a").forbidden.add("Pod").add("Job")
          for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"]) {
            fleet.server("b").forbidden.add(kind)
          }
        },
        () =>
          Effect.gen(function* () {
            const { clusters, items, partial } = yield* timed(list(workloadsOf(both, { page: { consistency } })))
            assert.deepStrictEqual(where(items), ["a/shop/Deployment/cart", "a/default/Deployment/web"])
            assert.isTrue(partial)
            assert.deepStrictEqual(
              clusters.map(({ missingKinds, status }) => [status, missingKinds]),
              [
                ["ok", ["Job", "Pod"]],
                ["forbidden", undefined]
              ]
            )
            const { partial: stillPartial } = yield* timed(
              list(workloadsOf(all("a"), { filter: { kind: ["Deployment"] }, page: { consistency } }))
            )
            assert.isFalse(stillPartial)
          })
      )
  )

  it.effect("answers with the kinds that have synced when another takes longer than the deadline", () =>
    onFleet(
      ["a"],
      (fleet) => {
        fillOne(fleet)
        fleet.server("a").stuck.add("Pod")
      },
      () =>
        Effect.gen(function* () {
          const { clusters, items, partial } = yield* timed(list(workloadsOf(all("a"))))
          assert.deepStrictEqual(where(items), ["a/default/Deployment/web"])
          assert.deepStrictEqual(clusters[0]?.missingKinds, ["Pod"])
          assert.isTrue(partial)
        })
    )
  )
})
