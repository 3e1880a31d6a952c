/** A cluster that is taken back below its API to an earlier time while it runs, on the drivers that can. */
import { assert, describe, it, layer } from "@effect/vitest"
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node"
import { Effect, Fiber, Ref, Redacted, Stream } from "effect"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import type { WatchEvent } from "../../src/client/KubeObject.ts"
import { configMap, configMapRef, configMaps, deployment, namesOf, pod } from "../conformance/Fixture.ts"
import {
  belowTheApi,
  Cluster,
  contents,
  definition,
  definitionRef,
  freshNamespace,
  namespace,
  service,
  serviceAccount,
  type Started,
  started,
  statusOf,
  versions,
  WAIT,
  WIDGETS,
  widget
} from "./Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

const summary = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`

/** Ports are the cluster's, and tests share one; those from 30086 on it gives to services that do not ask. */
const ports = { next: 30_010 }

/** Fills a namespace with what tests use, and gives its name. */
const filled = Effect.fnUntraced(function* ({ api }: Started) {
  const home = yield* freshNamespace(api)
  yield* api.create(configMap(home, "kept"))
  yield* api.create(configMap(home, "changed"))
  yield* api.create(configMap(home, "removed", { app: "web" }))
  yield* api.create(pod(home, "web"))
  yield* api.create(deployment(home, "web"))
  yield* api.create(service(home, "web", ports.next++))
  yield* api.create(serviceAccount(home, "robot"))
  yield* api.patch(
    { apiVersion: "v1", kind: "Pod", namespace: home, name: "web" },
    { status: { phase: "Running", podIP: "10.1.2.3" } },
    { subresource: "status" }
  )
  return home
})

/** Does to a filled namespace what a test does. */
const disturbed = Effect.fnUntraced(function* ({ api }: Started, home: string) {
  yield* api.patch(configMapRef(home, "changed"), { data: { key: "new" } })
  yield* api.delete(configMapRef(home, "removed"))
  yield* api.create(configMap(home, "came"))
  yield* api.delete({ apiVersion: "apps/v1", kind: "Deployment", namespace: home, name: "web" })
  yield* api.delete({ apiVersion: "v1", kind: "Service", namespace: home, name: "web" })
  yield* api.delete({ apiVersion: "v1", kind: "Pod", namespace: home, name: "web" }, { gracePeriodSeconds: 0 })
  yield* api.create(pod(home, "web"))
  const other = yield* freshNamespace(api)
  yield* api.create(configMap(other, "came"))
  yield* api.create(service(other, "other", ports.next++))
  return other
})

const informed = Effect.fnUntraced(function* ({ running, token }: Started, home: string) {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: "it", server: running.server, caData: Buffer.from(running.caPem).toString("base64") }],
    users: [{ name: "it", token: Redacted.value(token) }],
    contexts: [{ name: "it", cluster: "it", user: "it" }],
    currentContext: "it"
  })
  const api = config.makeApiClient(CoreV1Api)
  const known = new Map<string, string>()
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${home}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace: home })
  )
  const put = (map: V1ConfigMap) => known.set(map.metadata?.name ?? "", map.data?.["key"] ?? "")
  informer.on("add", put)
  informer.on("update", put)
  informer.on("delete", (map) => known.delete(map.metadata?.name ?? ""))
  // Stopping it is told as an error too; one that matters shows in what it knows.
  informer.on("error", () => undefined)
  yield* Effect.acquireRelease(
    Effect.promise(() => informer.start()),
    () => Effect.promise(() => informer.stop())
  )
  return Effect.sync(() => Object.fromEntries(known))
})

for (const driver of belowTheApi(run)) {
  layer(Cluster.layer(driver), { timeout: "2 minutes" })(`reset on the ${driver.name} driver`, (it) => {
    it.effect(
      "brings back what was there, with its identity, and removes what came, as often as it is asked for",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api, running } = cluster
          const home = yield* filled(cluster)
          yield* running.checkpoint
          const before = yield* contents(api)
          for (let round = 0; round < 2; round++) {
            yield* disturbed(cluster, home)
            yield* running.reset
            assert.deepStrictEqual(yield* contents(api), before)
          }
        }),
      LIMIT
    )

    it.effect(
      "leaves every object under its version when nothing has changed",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          yield* filled(cluster)
          yield* cluster.running.checkpoint
          const before = yield* versions(cluster.api)
          yield* cluster.running.reset
          yield* cluster.running.reset
          assert.deepStrictEqual(yield* versions(cluster.api), before)
        }),
      LIMIT
    )

    it.effect(
      "is seen by a watch as changes with versions of their own",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api, running } = cluster
          const home = yield* filled(cluster)
          yield* running.checkpoint
          yield* disturbed(cluster, home)
          const { resourceVersion } = yield* api.list(configMaps(home))
          const seen = yield* api
            .watch({ ...configMaps(home), resourceVersion })
            .pipe(Stream.take(3), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
          yield* running.reset
          const events = yield* Fiber.join(seen)
          assert.deepStrictEqual(events.map(summary).toSorted(), ["ADDED removed", "DELETED came", "MODIFIED changed"])
          const numbers = events.map(({ object }) => Number(object.metadata.resourceVersion))
          assert.isTrue(numbers.every((number, index) => number > (numbers[index - 1] ?? Number(resourceVersion))))
          const list = yield* api.list(configMaps(home))
          assert.isAtLeast(Number(list.resourceVersion), Math.max(...numbers))
        }),
      LIMIT
    )

    it.effect(
      "is followed by an informer",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const home = yield* filled(cluster)
          yield* cluster.running.checkpoint
          yield* disturbed(cluster, home)
          const knows = yield* informed(cluster, home)
          const disturbedMaps = { kept: "value", changed: "new", came: "value" }
          yield* eventually("it knows what is there", knows, (maps) => same(maps, disturbedMaps), WAIT)
          yield* cluster.running.reset
          const maps = { kept: "value", changed: "value", removed: "value" }
          yield* eventually("it knows what is there again", knows, (known) => same(known, maps), WAIT)
        }),
      LIMIT
    )

    it.effect(
      "takes a custom kind away that came, and brings one back that went, with its objects",
      () =>
        Effect.gen(function* () {
          const { api, running } = yield* Cluster
          const home = yield* freshNamespace(api)
          yield* running.checkpoint
          yield* api.create(definition)
          const widgets = statusOf(api, WIDGETS)
          yield* eventually("widgets are served", widgets, (status) => status === 200, WAIT)
          yield* api.create(widget(home, "one"))
          yield* running.reset
          assert.strictEqual(yield* widgets, 404)
          assert.strictEqual(yield* statusOf(api, "/apis/state.example.com"), 404)

          yield* api.create(definition)
          yield* eventually("widgets are served", widgets, (status) => status === 200, WAIT)
          const kind = { apiVersion: "state.example.com/v1", kind: "Widget", namespace: home }
          assert.isEmpty((yield* api.list(kind)).items)
          const made = yield* api.create(widget(home, "two"))
          yield* running.checkpoint
          yield* api.delete(definitionRef)
          yield* eventually("widgets are not served", widgets, (status) => status === 404, WAIT)
          yield* running.reset
          assert.strictEqual(yield* widgets, 200)
          const { items } = yield* api.list(kind)
          assert.deepStrictEqual(
            items.map(({ metadata }) => metadata.uid),
            [made.metadata.uid]
          )
          yield* api.delete(definitionRef)
          yield* eventually("widgets are not served", widgets, (status) => status === 404, WAIT)
        }),
      LIMIT
    )

    it.effect(
      "gives back addresses, ports and names that came since",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api, running } = cluster
          const home = yield* freshNamespace(api)
          const port = ports.next++
          yield* running.checkpoint
          for (let round = 0; round < 2; round++) {
            yield* api.create(service(home, "web", port))
            yield* api.create(namespace("came-again"))
            yield* eventually(
              "the namespace takes objects",
              Effect.exit(api.create(configMap("came-again", "one"))),
              (exit) => exit._tag === "Success",
              WAIT
            )
            yield* running.reset
          }
          assert.isEmpty((yield* api.list({ apiVersion: "v1", kind: "Service", namespace: home })).items)
        }),
      LIMIT
    )

    it.effect(
      "fails nobody who writes meanwhile",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api, running } = cluster
          const home = yield* filled(cluster)
          yield* running.checkpoint
          yield* disturbed(cluster, home)
          const written = yield* Ref.make(0)
          const ends = yield* Ref.make(false)
          const write = (writer: number) =>
            Effect.gen(function* () {
              const number = yield* Ref.getAndUpdate(written, (count) => count + 1)
              yield* api.create(configMap(home, `w-${writer}-${number}`))
              yield* api.patch(configMapRef(home, "kept"), { data: { [`w${writer}`]: String(number) } })
            }).pipe(Effect.repeat({ until: () => Ref.get(ends) }))
          const writers = yield* Effect.forkChild(
            Effect.forEach([1, 2, 3], write, { concurrency: "unbounded", discard: true }),
            { startImmediately: true }
          )
          for (let round = 1; round <= 3; round++) {
            yield* eventually("writers write", Ref.get(written), (count) => count > round * 10, WAIT)
            yield* running.reset
          }
          yield* Ref.set(ends, true)
          yield* Fiber.join(writers)
          yield* running.reset
          assert.deepStrictEqual(namesOf((yield* api.list(configMaps(home))).items), ["changed", "kept", "removed"])
        }),
      LIMIT
    )
  })

  describe(`a cluster of the ${driver.name} driver`, () => {
    it.effect(
      "goes back to its start as long as no checkpoint was taken, also restarted, and starts empty when it is asked to",
      () =>
        Effect.gen(function* () {
          const cluster = yield* started(driver, { name: "young" })
          const { api, running } = cluster
          const before = yield* contents(api)
          const home = yield* filled(cluster)
          yield* running.kill
          yield* running.restart
          yield* api.reconnect
          yield* running.reset
          assert.deepStrictEqual(yield* contents(api), before)

          yield* api.create(namespace(home))
          yield* api.create(configMap(home, "kept"))
          yield* running.checkpoint
          yield* running.restartEmpty
          yield* api.reconnect
          const names = (yield* contents(api)).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
          assert.deepStrictEqual(
            names,
            before.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
          )
          yield* api.create(namespace(home))
          yield* running.reset
          assert.strictEqual(yield* statusOf(api, `/api/v1/namespaces/${home}`), 404)
        }),
      LIMIT
    )
  })
}

const same = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean =>
  Object.keys(left).length === Object.keys(right).length
  && Object.entries(left).every(([key, value]) => right[key] === value)
