import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect, Schema } from "effect"
import { build } from "../../src/allocation/HourBuilder.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import type { Measure } from "../../src/hour/Measure.ts"
import { Inventory, type InventoryVolume } from "../../src/sampler/Inventory.ts"
import { at, claim, DAY, loadBalancer, ofDeployment, pod, volume } from "./objects.ts"
import { a, begin, hoursOf, inMemory, oneCluster, requestsOnly, start, until } from "./sampling.ts"

const GIB_KIB = 1_024 ** 2
const web = { owner: ofDeployment("web") }

const created = (object: KubeObject, time: string, uid = object.metadata.uid): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid, creationTimestamp: `${DAY}T${time}Z` }
})

const withClaim = (object: KubeObject, uid: string, phase: string): KubeObject => ({
  ...object,
  spec: { ...fieldsOf(object["spec"]), claimRef: { uid, name: "data", namespace: "shop" } },
  status: { phase }
})
const fieldsOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

/** A measure of each series that has some, by its kind and name. */
const amountsOf = (hour: Hour | undefined, measure: Measure): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (hour?.series ?? [])
      .map(({ kind, name }, place) => [`${kind}/${name}`, hour?.columns[measure][place] ?? 0] as const)
      .filter(([, amount]) => amount !== 0)
  )

describe("what exists for minutes", () => {
  it.effect("is charged for those minutes: a claim with its volume, and a load balancer", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:21:10")
      server.put("Service", created(loadBalancer("front", "web"), "10:21:10"))
      server.put("PersistentVolumeClaim", created(claim("data", "pv-1"), "10:21:10"))
      server.put("PersistentVolume", created(volume("pv-1", "data"), "10:21:12"))
      yield* until("10:23:30")
      server.delete("Service", "Service/front")
      server.delete("PersistentVolumeClaim", "PersistentVolumeClaim/data")
      server.delete("PersistentVolume", "PersistentVolume/pv-1")
      yield* until("11:02:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      // The end is noted by the list of 10:24.
      assert.deepStrictEqual(amountsOf(ten, "loadBalancerSeconds"), { "__unmounted__/front": 170 })
      assert.deepStrictEqual(amountsOf(ten, "storageKibSeconds"), { "__unmounted__/data": 10 * GIB_KIB * 168 })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})

describe("a volume whose claim was deleted", () => {
  it.effect("is unmounted from when the claim is made again, which has a volume of its own", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      const first = created(volume("pv-1", "data"), "08:00:00")
      server.put("Pod", pod("web-1", { from: "09:00:00" }, { ...web, claim: "data" }))
      server.put("PersistentVolumeClaim", created(claim("data", "pv-1"), "08:00:00", "claim-1"))
      server.put("PersistentVolume", withClaim(first, "claim-1", "Bound"))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:30:10")
      server.delete("PersistentVolumeClaim", "claim-1")
      server.put("PersistentVolume", withClaim(first, "claim-1", "Released"))
      yield* until("10:30:20")
      const second = created(volume("pv-2", "data"), "10:30:20")
      server.put("PersistentVolumeClaim", created(claim("data", "pv-2", "20Gi"), "10:30:20", "claim-2"))
      server.put("PersistentVolume", withClaim(second, "claim-2", "Bound"))
      yield* until("11:02:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(amountsOf(ten, "storageKibSeconds"), {
        "Deployment/web": 10 * GIB_KIB * 1_820 + 20 * GIB_KIB * 1_780,
        "__unmounted__/pv-1": 12 * GIB_KIB * 1_780
      })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("is unmounted where claims may not be read, once the volume says that it is released", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      const only = created(volume("pv-1", "data"), "08:00:00")
      server.forbidden.add("PersistentVolumeClaim")
      server.put("Pod", pod("web-1", { from: "09:00:00" }, { ...web, claim: "data" }))
      server.put("PersistentVolume", withClaim(only, "claim-1", "Bound"))
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("10:29:30")
      server.put("PersistentVolume", withClaim(only, "claim-1", "Released"))
      yield* until("11:02:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(amountsOf(ten, "storageKibSeconds"), {
        "Deployment/web": 12 * GIB_KIB * 1_800,
        "__unmounted__/pv-1": 12 * GIB_KIB * 1_800
      })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})

/** A volume from a minute to another, of claims in turn that end at some minutes. */
const Life = Schema.Struct({
  from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })),
  length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
  claims: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))).check(Schema.isMaxLength(3))
})
const MINUTE = 60_000
const START = at("10:00:00")

describe("the inventory of an hour", () => {
  it.prop(
    "charges each volume once from its creation to the list that lacks it, whichever claims have it",
    [Schema.Array(Life).check(Schema.isMaxLength(4)), Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 }))],
    ([lives, every]) => {
      const inventory = new Inventory()
      const listAt = (minute: number): ReadonlyArray<InventoryVolume> =>
        lives.flatMap(({ claims, from, length }, place): ReadonlyArray<InventoryVolume> => {
          if (minute < from || minute >= from + length) return []
          const turn = claims.filter((end) => end <= minute).length
          const isClaimed = turn < claims.length
          const subject = isClaimed
            ? { uid: `claim-${place}-${turn}`, namespace: "shop", claim: `data-${place}` }
            : { uid: `pv-${place}`, namespace: "", claim: "" }
          return [
            {
              ...subject,
              name: `pv-${place}`,
              storageClass: "fast",
              bytes: 1_024,
              fromMs: START + from * MINUTE,
              toMs: null
            }
          ]
        })
      const lists = Array.from({ length: Math.ceil(121 / every) + 1 }, (_, index) => index * every)
      for (const minute of lists) {
        inventory.update({ volumes: listAt(minute), loadBalancers: undefined }, START + minute * MINUTE)
      }
      const hour = build({
        cluster: a,
        startMs: START,
        seen: [{ fromMs: START, toMs: START + 60 * MINUTE }],
        nodes: [],
        pods: [],
        volumes: inventory.volumeFacts(START + 60 * MINUTE),
        loadBalancers: []
      })
      const charged = hour.columns.storageKibSeconds.reduce((sum, amount) => sum + amount, 0)
      const expected = lives.reduce((sum, { from, length }) => {
        const listed = lists.filter((minute) => minute >= from && minute < from + length)
        const last = listed.at(-1)
        return last === undefined ? sum : sum + Math.min(60, last + every) - from
      }, 0)
      assert.strictEqual(charged, expected * 60)
    }
  )
})
