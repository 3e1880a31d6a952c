import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { type AuditPage, AuditStore } from "../../src/audit/AuditStore.ts"
import { factsAt } from "./facts.ts"
import { directoryWithKey, storeIn } from "./world.ts"

const withStore = <A, E>(body: Effect.Effect<A, E, AuditStore>) =>
  Effect.flatMap(directoryWithKey, (directory) => Effect.provide(body, storeIn(directory)))

/** Returns every event of a query, newest first, and the number of reads. */
const all = (query: AuditPage["query"], limit = 7) =>
  Effect.gen(function* () {
    const store = yield* AuditStore
    const ids: Array<string> = []
    let before: number | undefined
    let looks = 0
    do {
      const listed = yield* store.list({ query, limit, ...(before === undefined ? {} : { before }) })
      ids.push(...listed.kept.map(({ event }) => event.requestId))
      before = listed.before
      looks++
    } while (before !== undefined)
    return { ids, looks }
  })

const ofCluster = (ms: number, cluster: string, namespaces?: ReadonlyArray<string>) =>
  factsAt(ms, {
    resource: "workloads",
    target: { asked: cluster, clusters: [], ...(namespaces === undefined ? {} : { namespaces }) }
  })

describe("a read of the audit", () => {
  it.effect("that matches one event of many ends each look after 5,000 rows, and goes on where it stopped", () =>
    withStore(
      Effect.gen(function* () {
        const store = yield* AuditStore
        yield* store.append([ofCluster(1, "prod")])
        yield* store.append(Array.from({ length: 20_000 }, (_, index) => ofCluster(index + 2, "hub")))
        const first = yield* store.list({ query: { cluster: "prod" }, limit: 100 })
        assert.deepStrictEqual(first, { kept: [], before: 15_002 })
        assert.deepStrictEqual(yield* all({ cluster: "prod" }), { ids: ["r-1"], looks: 5 })
        assert.deepStrictEqual(yield* all({ within: { clusters: ["prod"] } }), { ids: ["r-1"], looks: 5 })
      })
    )
  )

  it.effect("within a scope gives events that name clusters and namespaces all in it, and those on keys", () =>
    withStore(
      Effect.gen(function* () {
        const store = yield* AuditStore
        yield* store.append([
          ofCluster(1, "prod", ["shop"]),
          ofCluster(2, "prod", ["shop", "payments"]),
          ofCluster(3, "prod"),
          ofCluster(4, "hub|prod", ["shop"]),
          ofCluster(5, "*"),
          ofCluster(6, ""),
          factsAt(7, { target: { asked: "", clusters: [], object: "key_1" } }),
          factsAt(8),
          factsAt(9, { resource: "workloads", target: { asked: "*", clusters: ["prod"], namespaces: ["shop"] } }),
          factsAt(10, { resource: "workloads", target: { asked: "", clusters: ["hub", "prod"] } })
        ])
        const inProd = yield* all({ within: { clusters: ["prod"] } })
        assert.deepStrictEqual(inProd.ids, ["r-9", "r-7", "r-3", "r-2", "r-1"])
        const inShop = yield* all({ within: { clusters: ["prod"], namespaces: ["shop"] } })
        assert.deepStrictEqual(inShop.ids, ["r-9", "r-7", "r-1"])
        const shopAnywhere = yield* all({ within: { namespaces: ["shop"] } })
        assert.deepStrictEqual(shopAnywhere.ids, ["r-9", "r-7", "r-4", "r-1"])
      })
    )
  )

  it.effect(
    "finds a caller by a part of its name or id, and an object by its name, its namespace or a key's name",
    () =>
      withStore(
        Effect.gen(function* () {
          const store = yield* AuditStore
          const web = { asked: "prod", clusters: ["prod"], namespaces: ["shop"], object: "Deployment/web" }
          yield* store.append([
            factsAt(1, { actor: { kind: "key", keyId: "key_1", name: "CI of storefront" } }),
            factsAt(2, { actor: { kind: "session", keyId: "oidc:anna", subject: "anna" } }),
            factsAt(3, { actor: { kind: "anonymous" } }),
            factsAt(4, { resource: "workloads", target: web, before: { replicas: 4 }, after: { replicas: 5 } }),
            factsAt(5, {
              target: { asked: "", clusters: [], object: "key_2" },
              after: { name: "ci-eu", role: "Viewer" }
            })
          ])
          const idsOf = (query: AuditPage["query"]) => Effect.map(all(query), ({ ids }) => ids)
          assert.deepStrictEqual(yield* idsOf({ actor: "ci OF" }), ["r-1"])
          assert.deepStrictEqual(yield* idsOf({ actor: "oidc:an" }), ["r-2"])
          assert.deepStrictEqual(yield* idsOf({ actor: "%" }), [])
          for (const object of ["Deployment/web", "shop/web", "SHOP/"]) {
            assert.deepStrictEqual(yield* idsOf({ object }), ["r-4"], object)
          }
          assert.deepStrictEqual(yield* idsOf({ object: "ci-eu" }), ["r-5"])
          assert.deepStrictEqual(yield* idsOf({ object: "key_2", actor: "ci" }), ["r-5"])
          const [scaled] = (yield* store.list({ query: { object: "web" }, limit: 1 })).kept
          assert.deepStrictEqual([scaled?.event.before, scaled?.event.after], [{ replicas: 4 }, { replicas: 5 }])
        })
      )
  )

  it.effect("within a scope leaves the search for a key's name to the reader, who knows which names may be seen", () =>
    withStore(
      Effect.gen(function* () {
        const store = yield* AuditStore
        const target = { asked: "", clusters: [], object: "key_1" }
        yield* store.append([
          ofCluster(1, "prod"),
          factsAt(2, { target, after: { name: "merger", role: "Viewer" } }),
          factsAt(3, { target, after: { name: "ci", role: "Viewer" } })
        ])
        const within = { clusters: ["prod"] }
        assert.deepStrictEqual((yield* all({ object: "merger" })).ids, ["r-2"])
        assert.deepStrictEqual((yield* all({ object: "merger", within })).ids, ["r-3", "r-2"])
        assert.deepStrictEqual((yield* all({ object: "nothing", within })).ids, ["r-3", "r-2"])
      })
    )
  )

  it.effect("since the newest instant seen gives a folded event that was written later with an older instant", () =>
    withStore(
      Effect.gen(function* () {
        const store = yield* AuditStore
        yield* store.append([factsAt(1_000), factsAt(5_000), factsAt(9_000)])
        const seen = yield* all({})
        assert.deepStrictEqual(seen.ids, ["r-9000", "r-5000", "r-1000"])
        yield* store.append([factsAt(4_000, { count: 12 })])
        assert.deepStrictEqual((yield* all({ sinceMs: 9_000 })).ids, ["r-4000", "r-9000"])
        assert.deepStrictEqual((yield* all({ sinceMs: 9_001 })).ids, [])
        assert.deepStrictEqual((yield* all({ untilMs: 9_000 })).ids, ["r-5000", "r-1000"])
        yield* store.prune(DateTime.makeUnsafe(5_000))
        assert.deepStrictEqual((yield* all({})).ids, ["r-4000", "r-9000", "r-5000"])
      })
    )
  )

  it.effect.prop(
    "by spans that meet gives each event once, whatever the order of the instants",
    [
      Schema.Array(Schema.Natural.check(Schema.isLessThan(1_000))).check(Schema.isMaxLength(40)),
      Schema.Array(Schema.Natural.check(Schema.isLessThan(1_000))).check(Schema.isMaxLength(4))
    ],
    ([instants, cuts]) =>
      withStore(
        Effect.gen(function* () {
          const store = yield* AuditStore
          yield* store.append(instants.map((ms, index) => factsAt(ms, { requestId: `r-${index}` })))
          const bounds = [undefined, ...cuts.toSorted((one, other) => one - other), undefined]
          const found: Array<string> = []
          for (let span = bounds.length - 2; span >= 0; span--) {
            const [sinceMs, untilMs] = [bounds[span], bounds[span + 1]]
            const part = yield* all({
              ...(sinceMs === undefined ? {} : { sinceMs }),
              ...(untilMs === undefined ? {} : { untilMs })
            })
            found.push(...part.ids)
          }
          assert.deepStrictEqual(
            found.toReversed(),
            Array.from(instants.keys(), (index) => `r-${index}`)
          )
        })
      ),
    { arbitrary: { runs: 15 } }
  )
})
