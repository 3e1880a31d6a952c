/** Whatever happens to workloads, each reader ends with what a fresh list shows. */
import { assert } from "@effect/vitest"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { eventually, Seed } from "@quarterdeck/harness"
import { Effect, Fiber, Random } from "effect"
import { Deployment, type KeyName, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { open, openReady, placesOf, type StreamReader, until, workloads } from "./StreamReader.ts"

const WATCH = "/api/v1/workloads/watch"
const CLUSTERS = ["hub", "prod", "stage"] as const
const NAMES = Array.from({ length: 12 }, (_, index) => `churned-${index}`)
const NAMESPACES = ["churn-a", "churn-b"]

/** What readers ask for: a query, a target and a key. */
const READERS: ReadonlyArray<readonly [query: string, target: string, key: KeyName]> = [
  ["", "*", "viewer"],
  ["?kind=Deployment&kind=Rollout", "*", "viewer"],
  ["?namespace=churn-a", "hub|stage", "viewer"],
  ["?labelSelector=tier%3Dfront", "*", "operator"],
  ["?name=churned-1", "prod", "operator"],
  ["", "*", "teamViewer"]
]

const deploymentOf = (name: string, namespace: string, replicas: number, tier: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels: { tier } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "acme/main:1" }] } }
  }
})

/** A pod that a custom kind owns: its row is made of pods. */
const podOf = (name: string, namespace: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace,
    ownerReferences: [
      {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Rollout",
        name: "web",
        uid: `rollout-of-${namespace}`,
        controller: true
      }
    ]
  },
  spec: { containers: [{ name: "main", image: "acme/main:1" }] }
})

const pick = <A>(items: ReadonlyArray<A>) =>
  Effect.map(Random.nextIntBetween(0, items.length - 1), (index) => items[index] ?? assert.fail("nothing to pick"))

/** Changes something; what cannot be done now, such as making what is there, is no change. */
const churnOnce = Effect.gen(function* () {
  const { api } = yield* (yield* Deployment).fleet.cluster(yield* pick(CLUSTERS))
  const name = yield* pick(NAMES)
  const namespace = yield* pick(NAMESPACES)
  const at = { apiVersion: "apps/v1", kind: "Deployment", namespace, name }
  const podAt = { apiVersion: "v1", kind: "Pod", namespace, name: `pod-${name}` }
  const change = yield* Random.nextIntBetween(0, 9)
  const tier = yield* pick(["front", "back"])
  const replicas = yield* Random.nextIntBetween(0, 5)
  const made: Effect.Effect<unknown, unknown> =
    change < 3
      ? api.create(deploymentOf(name, namespace, replicas, tier))
      : change < 5
        ? api.patch(at, { spec: { replicas } })
        : change === 5
          ? api.patch(at, { metadata: { labels: { tier } } })
          : change === 6
            ? api.delete(at)
            : change === 7
              ? api.create(podOf(podAt.name, namespace))
              : change === 8
                ? api.delete(podAt)
                : api.patch(
                    { apiVersion: "v1", kind: "Namespace", name: namespace },
                    { metadata: { labels: { team: yield* pick(["storefront", "checkout"]) } } }
                  )
  yield* Effect.ignore(made)
})

const churn = (changes: number) =>
  Effect.forEach(Array.from({ length: changes }), () => churnOnce, { concurrency: 6, discard: true })

/** Waits until a reader has what a list shows, nothing more and nothing less. */
const agrees = Effect.fnUntraced(function* (
  reader: StreamReader<WorkloadRow>,
  [query, target, key]: (typeof READERS)[number]
) {
  const deployment = yield* Deployment
  const narrowing = query === "" ? "?limit=5000" : `${query}&limit=5000`
  const compare = Effect.gen(function* () {
    const { clusters, workloads } = yield* deployment.workloads(narrowing, { key, headers: to(target) })
    return { counts: clusters, list: placesOf(workloads), told: placesOf(reader.rows.values()) }
  })
  const last = yield* eventually(
    `${query} of ${target} agrees`,
    compare,
    ({ list, told }) => JSON.stringify(list) === JSON.stringify(told),
    { within: "5 seconds" }
  )
  assert.deepStrictEqual(last.told, last.list)
})

onOneDriver(
  "churn of workloads",
  {
    prepare: (fleet) =>
      Effect.gen(function* () {
        yield* Seed.fill(fleet)
        for (const { api } of fleet.clusters) {
          for (const name of NAMESPACES) yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
        }
      })
  },
  (it) => {
    it.effect("every reader ends with what a fresh list shows, however it began and went on", () =>
      Effect.gen(function* () {
        const readers = yield* Effect.forEach(READERS, ([query, target, key]) =>
          openReady(workloads, `${WATCH}${query}`, { target, key })
        )
        yield* churn(200)
        // Others begin and go on while much changes.
        const late = yield* Effect.forEach(
          READERS.slice(0, 3),
          ([query, target]) => open(workloads, `${WATCH}${query}`, { target, key: "admin" }),
          { concurrency: "unbounded" }
        )
        yield* churn(200)
        for (const [index, reading] of READERS.entries()) {
          const reader = readers[index]
          if (reader !== undefined) yield* agrees(reader, reading)
        }
        for (const [index, reading] of READERS.slice(0, 3).entries()) {
          const reader = late[index]
          if (reader !== undefined) yield* agrees(reader, reading)
        }
        for (const reader of [...readers, ...late]) assert.notInclude(reader.names, "reset")
      }).pipe(Effect.scoped)
    )

    it.effect("a reader that comes back goes on where it was, at whatever event it left", () =>
      Effect.gen(function* () {
        for (const reading of READERS) {
          const [query, target, key] = reading
          const path = `${WATCH}${query}`
          const first = yield* openReady(workloads, path, { target, key })
          const leaving = first.names.length + (yield* Random.nextIntBetween(0, 8))
          const churning = yield* Effect.forkChild(churn(60))
          yield* until(
            "some events",
            first,
            ({ names }) => names.length >= leaving || churning.pollUnsafe() !== undefined
          )
          const had = new Map(first.rows)
          const { lastId = "" } = first
          first.close()
          yield* Fiber.join(churning)
          const second = yield* open(workloads, path, { target, key, lastEventId: lastId }, had)
          yield* until("it is up to date", second, ({ isReady }) => isReady)
          // Namespaces whose labels moved while nobody read are a reason to begin anew.
          if (key !== "teamViewer") assert.notInclude(second.names, "reset")
          yield* agrees(second, reading)
          second.close()
        }
      }).pipe(Effect.scoped)
    )

    it.effect.each<[string, string]>([
      ["that is none", "abc"],
      ["of another process", "zzzz.1.AAAAAAAAAAAAAAAA"],
      ["of nothing", ".."]
    ])("an id %s is answered by a reset and all rows", ([, lastEventId]) =>
      Effect.gen(function* () {
        const reading = READERS[0] ?? assert.fail("there are readers")
        const reader = yield* openReady(workloads, WATCH, { target: "*", lastEventId })
        assert.strictEqual(reader.names[0], "reset")
        yield* agrees(reader, reading)
      }).pipe(Effect.scoped)
    )

    it.effect("an id of another question is answered by a reset, though the key is the same", () =>
      Effect.gen(function* () {
        const first = yield* openReady(workloads, WATCH, { target: "*" })
        const { lastId = "" } = first
        for (const [path, target, key] of [
          [`${WATCH}?kind=Deployment`, "*", "viewer"],
          [WATCH, "prod", "viewer"],
          [WATCH, "*", "operator"]
        ] as const) {
          const second = yield* openReady(workloads, path, { target, key, lastEventId: lastId })
          assert.strictEqual(second.names[0], "reset")
        }
        const same = yield* openReady(workloads, WATCH, { target: "*", lastEventId: lastId })
        assert.notInclude(same.names, "reset")
        assert.notInclude(same.names, "row")
      }).pipe(Effect.scoped)
    )
  }
)
