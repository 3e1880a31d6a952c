import { NodeServices } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { inRealTime } from "@quarterdeck/embedded-cluster/Machine"
import { Drivers, Fault, Fleet } from "@quarterdeck/harness"
import { Context, Effect, Layer, Redacted, type Scope, Stream } from "effect"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import type { KubeObject, WatchEvent } from "../../src/kube/KubeObject.ts"
import { fields } from "../../src/projection/Field.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as Kind from "../../src/projection/Kind.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { clusterAt, token } from "../fixture/ClusterAt.ts"
import { release } from "../fixture/Following.ts"
import { eventually } from "../fixture/Waiting.ts"
import { NAMESPACE, WRITTEN } from "../fixture/WrittenObjects.ts"

const KINDS = ["Pod", "ReplicaSet", "Deployment"] as const
type Followed = (typeof KINDS)[number]

const { run } = await Effect.runPromise(Drivers.selected)
type Driver = (typeof run)[number]

/** Controllers, which k3s alone has, would take away what has an owner that does not exist, and write statuses of their own. */
const isWithoutControllers = ({ name }: Driver): boolean => name !== "k3s"

const make = Effect.fnUntraced(function* (driver: Driver) {
  const { parent } = yield* Fleet.make({ driver, parent: "hub", faults: true })
  const { api, caPem, inject, server } = parent
  const cluster = clusterAt({ caPem, server }, { credential: token(Redacted.value(yield* parent.token("admin"))) })
  for (const { object, status } of WRITTEN) {
    const made = yield* api.create(object)
    const { metadata } = made
    const ref = { apiVersion: object.apiVersion, kind: object.kind, namespace: NAMESPACE, name: metadata.name ?? "" }
    yield* api.patch(ref, { status }, { subresource: "status" })
    if (metadata.name === "leaving") yield* api.delete(ref)
  }
  return { api, cluster, inject, isReal: driver.name !== "embedded" }
}, Effect.orDie)

class Server extends Context.Service<Server, Effect.Success<ReturnType<typeof make>>>()(
  "@quarterdeck/cluster-fanout/test/KubeApi.protobuf/Server"
) {}

/** Projects with an interner of its own, so that no record owes another its texts. */
const recordOf = (kind: Followed, object: KubeObject) =>
  Projection.project(kind, object, { cluster: clusterAt({ server: "", caPem: "" }).name, interner: Interner.make() })

const byName = (kind: Followed, objects: ReadonlyArray<KubeObject>) =>
  new Map(objects.map((object) => [object.metadata.name, recordOf(kind, object)]))

/** Whether an object came as protobuf: what no row needs is not there. */
const isTrimmed = (kind: Followed, { metadata, spec }: KubeObject): boolean =>
  fields(metadata)["managedFields"] === undefined
  && fields(spec)[kind === "Pod" ? "schedulerName" : "selector"] === undefined

const listed = (kind: Followed) =>
  Effect.gen(function* () {
    const { cluster } = yield* Server
    const api = yield* KubeApi
    const pages = yield* Stream.runCollect(api.list(cluster, { resource: Kind.resources[kind] }))
    return pages.flat()
  })

/** Follows in the background. **Shape** gives what was told by now. */
const following = Effect.fnUntraced(function* (kind: Followed) {
  const { cluster } = yield* Server
  const api = yield* KubeApi
  const told: Array<WatchEvent> = []
  const listen = Stream.runForEach(api.follow(cluster, { resource: Kind.resources[kind] }), (events) =>
    Effect.sync(() => void told.push(...events))
  )
  yield* Effect.forkScoped(inRealTime(listen))
  return Effect.sync(() => [...told])
})

const objectsOf = (events: ReadonlyArray<WatchEvent>): ReadonlyArray<KubeObject> =>
  events.flatMap((event) => (event._tag === "Put" ? [event.object] : []))

const isSynced = (events: ReadonlyArray<WatchEvent>): boolean => events.some(({ _tag }) => _tag === "Synced")

const withApi = <A, E>(test: Effect.Effect<A, E, KubeApi | Server | Scope.Scope>) =>
  Effect.scoped(test).pipe(Effect.provide(Layer.fresh(KubeApi.layer).pipe(Layer.provide(NodeServices.layer))))

const compared = run.filter(isWithoutControllers)
if (compared.length === 0) {
  it.effect("is left out: this run has no driver without controllers", () => Effect.void)
}

for (const driver of compared) {
  describe(`what is followed on ${driver.name}`, () => {
    layer(Layer.effect(Server, make(driver)), { timeout: "120 seconds" })((it) => {
      for (const kind of KINDS) {
        const initially = Effect.gen(function* () {
          const { isReal } = yield* Server
          const told = yield* eventually(yield* following(kind), isSynced)
          const json = yield* listed(kind)
          assert.isAbove(json.length, 2)
          assert.deepStrictEqual(byName(kind, objectsOf(told)), byName(kind, json))
          for (const object of objectsOf(told))
            assert.strictEqual(isTrimmed(kind, object), isReal, object.metadata.name)
          for (const object of json) assert.isFalse(isTrimmed(kind, object), object.metadata.name)
        })

        it.effect(`${kind}s begin with the rows of a list in JSON, by watch-list`, () => withApi(initially))

        it.effect(`so they do by pages`, () =>
          withApi(
            Effect.gen(function* () {
              const { inject } = yield* Server
              yield* inject(release("v1.31.0"))
              yield* initially
            })
          )
        )

        it.effect(`a proxy that knows no protobuf leads to the same rows of ${kind}s`, () =>
          withApi(
            Effect.gen(function* () {
              const { inject } = yield* Server
              const { plural } = Kind.resources[kind]
              yield* inject(
                Fault.fixedReply({ match: { resources: [plural], next: 1 }, status: 406, body: "no such form" })
              )
              const told = yield* eventually(yield* following(kind), isSynced)
              for (const object of objectsOf(told)) assert.isFalse(isTrimmed(kind, object), object.metadata.name)
              assert.deepStrictEqual(byName(kind, objectsOf(told)), byName(kind, yield* listed(kind)))
            })
          )
        )

        it.effect(`events of ${kind}s give the same rows`, () =>
          withApi(
            Effect.gen(function* () {
              const { api } = yield* Server
              const told = yield* following(kind)
              const before = yield* eventually(told, isSynced)
              const source = WRITTEN.find(({ object }) => object.kind === kind)
              assert.isDefined(source)
              const made = yield* api.create({ ...source.object, metadata: { name: "new", namespace: NAMESPACE } })
              const ref = { apiVersion: made.apiVersion, kind, namespace: NAMESPACE, name: "new" }
              yield* api.patch(ref, { metadata: { labels: { changed: "yes" } } })
              const isChanged = (events: ReadonlyArray<WatchEvent>) =>
                objectsOf(events).some(({ metadata }) => metadata.labels?.["changed"] === "yes")
              const after = yield* eventually(told, isChanged)
              const json = (yield* listed(kind)).filter(({ metadata }) => metadata.name === "new")
              assert.deepStrictEqual(byName(kind, objectsOf(after.slice(before.length))), byName(kind, json))
              yield* api.delete(ref, { gracePeriodSeconds: 0 })
              const ended = yield* eventually(told, (events) => events.some(({ _tag }) => _tag === "Delete"))
              const gone = ended.flatMap((event) => (event._tag === "Delete" ? [event.object.metadata.uid] : []))
              assert.deepStrictEqual(gone, [made.metadata.uid])
            })
          )
        )
      }
    })
  })
}
