/** Clusters in memory, behind the port that real ones are reached by, with the cache above them. */
import { Breaker } from "@quarterdeck/cluster-fanout"
import type { Cluster } from "@quarterdeck/cluster-fanout/Cluster"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { ClusterError, ClusterForbids, ClusterUnreachable } from "@quarterdeck/cluster-fanout/ClusterError"
import { ClusterRegistry, type RegistrySnapshot } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { KubeObject, WatchEvent } from "@quarterdeck/cluster-fanout/KubeObject"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Cause, Effect, Layer, Queue, Stream, SubscriptionRef } from "effect"

interface Watcher {
  readonly kind: string
  readonly queue: Queue.Queue<ReadonlyArray<WatchEvent>, ClusterError>
}

/** One cluster: holds objects by kind and uid, tells watches of changes, and can be dead. */
export class Server {
  readonly name: ClusterName
  readonly forbidden = new Set<string>()
  isDead = false
  readonly #objects = new Map<string, Map<string, KubeObject>>()
  readonly #watchers = new Set<Watcher>()

  constructor(name: string) {
    this.name = ClusterName.make(name)
  }

  put(kind: string, ...objects: ReadonlyArray<KubeObject>): void {
    for (const object of objects) {
      this.#of(kind).set(object.metadata.uid, object)
      this.#tell(kind, { _tag: "Put", object })
    }
  }

  delete(kind: string, uid: string): void {
    const object = this.#of(kind).get(uid)
    this.#of(kind).delete(uid)
    if (object !== undefined) this.#tell(kind, { _tag: "Delete", object })
  }

  kill(): void {
    this.isDead = true
    for (const { queue } of [...this.#watchers]) Queue.failCauseUnsafe(queue, Cause.fail(this.#unreachable()))
  }

  revive(): void {
    this.isDead = false
  }

  answer<A>(kind: string, answer: Effect.Effect<A>): Effect.Effect<A, ClusterError> {
    return Effect.suspend((): Effect.Effect<A, ClusterError> => {
      if (this.isDead) return Effect.fail(this.#unreachable())
      if (!this.forbidden.has(kind)) return answer
      const reason = new ClusterForbids({ verb: "list", resource: kind })
      return Effect.fail(new ClusterError({ cluster: this.name, reason }))
    })
  }

  list(kind: string): Stream.Stream<ReadonlyArray<KubeObject>, ClusterError> {
    return Stream.fromEffect(
      this.answer(
        kind,
        Effect.sync(() => [...this.#of(kind).values()])
      )
    )
  }

  follow(kind: string): Stream.Stream<ReadonlyArray<WatchEvent>, ClusterError> {
    const open = Effect.acquireRelease(
      Effect.gen({ self: this }, function* () {
        const queue = yield* Queue.unbounded<ReadonlyArray<WatchEvent>, ClusterError>()
        const watcher = { kind, queue }
        const puts = [...this.#of(kind).values()].map((object): WatchEvent => ({ _tag: "Put", object }))
        Queue.offerUnsafe(queue, [...puts, { _tag: "Synced", resourceVersion: "1" }])
        this.#watchers.add(watcher)
        return watcher
      }),
      (watcher) =>
        Effect.sync(() => {
          this.#watchers.delete(watcher)
        })
    )
    return Stream.unwrap(
      Effect.map(Effect.andThen(this.answer(kind, Effect.void), open), ({ queue }) => Stream.fromQueue(queue))
    )
  }

  #tell(kind: string, event: WatchEvent): void {
    for (const watcher of this.#watchers) if (watcher.kind === kind) Queue.offerUnsafe(watcher.queue, [event])
  }

  #of(kind: string): Map<string, KubeObject> {
    const objects = this.#objects.get(kind) ?? new Map<string, KubeObject>()
    this.#objects.set(kind, objects)
    return objects
  }

  #unreachable(): ClusterError {
    return new ClusterError({ cluster: this.name, reason: new ClusterUnreachable({ code: "ECONNREFUSED" }) })
  }
}

const clusterOf = (name: ClusterName, index: number): Cluster => ({
  name,
  role: index === 0 ? "parent" : "child",
  labels: {},
  origin: "registered",
  generation: "1",
  connection: {
    server: `https://${name}.internal.example:6443`,
    insecureSkipTlsVerify: false,
    credential: { _tag: "None" }
  }
})

const snapshotOf = (servers: ReadonlyArray<Server>): RegistrySnapshot => {
  const [parent] = servers
  if (parent === undefined) throw new Error("a registry has a parent")
  return { parent: parent.name, clusters: servers.map(({ name }, index) => clusterOf(name, index)), problems: [] }
}

/** Servers, of which those that were registered last are known. */
export const makeFleet = Effect.fnUntraced(function* (...servers: ReadonlyArray<Server>) {
  const known = new Map(servers.map((server) => [server.name, server]))
  const registered = yield* SubscriptionRef.make(snapshotOf(servers))
  const of = ({ name }: Cluster): Server => {
    const server = known.get(name)
    if (server === undefined) throw new Error(`no server ${name}`)
    return server
  }
  const api = KubeApi.of({
    version: (cluster) => of(cluster).answer("version", Effect.succeed({ major: 1, minor: 36, gitVersion: "v1.36.3" })),
    probe: (cluster) => of(cluster).answer("probe", Effect.void),
    list: (cluster, { resource }) => of(cluster).list(resource.kind),
    listEach: (cluster, { resource }, _, take) =>
      Stream.runForEach(of(cluster).list(resource.kind), (page) => take(page, false)),
    find: (cluster) => of(cluster).answer("find", Effect.succeedNone),
    follow: (cluster, { resource }) => of(cluster).follow(resource.kind)
  })
  const registry = ClusterRegistry.of({
    snapshot: SubscriptionRef.get(registered),
    changes: SubscriptionRef.changes(registered)
  })
  return {
    register: (...present: ReadonlyArray<Server>) => {
      for (const server of present) known.set(server.name, server)
      return SubscriptionRef.set(registered, snapshotOf(present))
    },
    layer: ClusterCache.layer.pipe(
      Layer.provideMerge(Breaker.Breakers.layer),
      Layer.provideMerge(Layer.mergeAll(Layer.succeed(KubeApi, api), Layer.succeed(ClusterRegistry, registry)))
    )
  }
})
export type Fleet = Effect.Success<ReturnType<typeof makeFleet>>
