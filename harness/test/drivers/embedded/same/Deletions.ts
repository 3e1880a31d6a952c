import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import { namespace, Pair, same, type Suite } from "./Pair.ts"

/** How things are deleted. */
export const deletions = (it: Suite): void => {
  it.effect(
    "on options of a deletion that it refuses",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const maps = `${core}/configmaps`
        yield* same("POST", maps, { body: { metadata: { name: "m" } } })
        const bodies: ReadonlyArray<JsonObject> = [
          { gracePeriodSeconds: "x" },
          { gracePeriodSeconds: 1.5 },
          { propagationPolicy: 1 },
          { propagationPolicy: "Foo" },
          { propagationPolicy: "Foo", dryRun: ["x"] },
          { orphanDependents: "x" },
          { orphanDependents: true, propagationPolicy: "Orphan" },
          { orphanDependents: false, propagationPolicy: "Foo" },
          { kind: "Foo", apiVersion: "v1" },
          { kind: "ConfigMap" },
          { dryRun: "All" },
          { dryRun: [""] },
          { preconditions: 1 },
          { preconditions: { uid: 1 } },
          { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] }
        ]
        for (const body of bodies) yield* same("DELETE", `${maps}/m`, { body })
        for (const query of ["dryRun=", "dryRun=All&dryRun=", "propagationPolicy=Foo", "gracePeriodSeconds=x"])
          yield* same("DELETE", `${maps}/m?${query}`)
        yield* same("DELETE", `${maps}/m?dryRun=x`, { body: { dryRun: ["All"] } })
        yield* same("DELETE", `${maps}/m`, { body: "dryRun: [All]", type: "application/yaml" })
        yield* same("DELETE", maps, { body: { gracePeriodSeconds: "x" } })
        yield* same("DELETE", `${maps}?dryRun=`)
        yield* same("POST", `${maps}?dryRun=`, { body: { metadata: { name: "n" } } })
        yield* same("PUT", `${maps}/m?dryRun=`, { body: { metadata: { name: "m" } } })
        yield* same("GET", `${maps}/m`)
      }),
    120_000
  )

  it.effect(
    "on dependents that stay when their owner goes",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const maps = `${core}/configmaps`
        const pair = yield* Pair
        for (const client of [pair.embedded, pair.real]) {
          const owner = yield* client.call("POST", maps, { body: { metadata: { name: "owner" } } })
          const uid = textAt(owner.json, "metadata", "uid")
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }]
          yield* client.call("POST", maps, { body: { metadata: { name: "kid", ownerReferences } } })
          const gone = yield* client.call("DELETE", `${maps}/owner`, { body: { orphanDependents: true } })
          const kid = yield* client.call("GET", `${maps}/kid`)
          assert.deepStrictEqual([gone.status, kid.status], [200, 200])
        }
      }),
    120_000
  )
}
