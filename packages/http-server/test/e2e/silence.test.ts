import { assert, describe, layer } from "@effect/vitest"
import { Embedded, Fault, Faults, Kubeconfig } from "@quarterdeck/harness"
import { Clock, Deferred, Effect } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"

/** What stands between the service and `prod`. */
const prodFaults = Deferred.makeUnsafe<Faults.ClusterFaults>()

/** Every look at a fleet costs a busy machine some time of its own. */
const LOOK_MS = 100
const SLACK_MS = 1_000

/** Looks at prod until it has a status: every look finds `reachable` and every list of one mind. **Units** milliseconds. */
const until = Effect.fnUntraced(function* (status: "ok" | "stale", withinMs: number) {
  const deployment = yield* Deployment
  const startedAt = yield* Clock.currentTimeMillis
  while (true) {
    const { clusters } = yield* deployment.clusters("", { headers: to("prod") })
    const passed = (yield* Clock.currentTimeMillis) - startedAt
    for (const { coverage, reachable } of clusters) assert.strictEqual(reachable, coverage.status === "ok")
    if (clusters[0]?.coverage.status === status) return passed
    assert.isBelow(passed, withinMs + SLACK_MS, `prod is ${clusters[0]?.coverage.status}, and not ${status}`)
    yield* Effect.sleep(LOOK_MS)
  }
})

const deployed = Deployment.layer({
  driver: Embedded.driver,
  children: ["prod"],
  kubeconfig: Effect.fnUntraced(function* (fleet) {
    const prod = yield* fleet.cluster("prod")
    const faults = yield* Faults.make({ name: prod.name, server: prod.server, caPem: prod.caPem })
    yield* Deferred.succeed(prodFaults, faults)
    const contexts = yield* Effect.forEach(fleet.clusters, (cluster) => cluster.context("admin"))
    const { caPem, server } = faults
    return Kubeconfig.print(
      contexts.map((context) => (context.name === "prod" ? { ...context, server, caPem } : context))
    )
  })
})

const FAULTS = [
  ["that hangs", Fault.blackHole],
  ["that answers, but no lists", Fault.slowReply({ bodyAfterMs: 60_000, match: { verbs: ["list"] } })]
] as const

describe("silence", () => {
  layer(deployed, { timeout: "60 seconds", excludeTestServices: true })((it) => {
    it.effect.each(FAULTS)(
      "a cluster %s is stale within 9 s, and back within 3 s",
      ([, fault]) =>
        Effect.gen(function* () {
          const faults = yield* Deferred.await(prodFaults)
          yield* until("ok", 3_000)
          yield* Effect.scoped(Effect.andThen(faults.inject(fault), until("stale", 9_000)))
          yield* until("ok", 3_000)
        }),
      60_000
    )

    it.effect(
      "a cluster that hangs is stale within 4 s of a live question, and asked live as soon as it answers again",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const faults = yield* Deferred.await(prodFaults)
          const prod = yield* deployment.fleet.cluster("prod")
          yield* until("ok", 3_000)
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* faults.inject(Fault.blackHole)
              yield* Effect.forkScoped(deployment.call("/api/v1/workloads?consistency=live", { headers: to("prod") }))
              yield* until("stale", 4_000)
            })
          )
          yield* prod.api.create(deploymentNamed("written-before"))
          const { workloads } = yield* deployment.workloads("?consistency=live&name=written", { headers: to("prod") })
          assert.strictEqual(workloads.length, 1)
        }),
      60_000
    )
  })
})
