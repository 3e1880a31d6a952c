/**
 * Adds clusters that are registered at run time to those of another registry.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Ref, Semaphore, Stream } from "effect"
import type { Cluster, Connection } from "./Cluster.ts"
import { ClusterRegistry, type RegistryProblem, type RegistrySnapshot } from "./ClusterRegistry.ts"
import { generationOf } from "./ConnectionDigest.ts"
import * as registryFeed from "./RegistryFeed.ts"
import { inOrder } from "./RegistrySnapshot.ts"

/** A cluster registered at run time. */
export interface Registration {
  readonly name: ClusterName
  readonly labels: Readonly<Record<string, string>>
  readonly connection: Connection
}

/** All registrations. **Shape** names are unique; `problems` reports registrations that cannot be used. */
export interface Registrations {
  readonly clusters: ReadonlyArray<Registration>
  readonly problems: ReadonlyArray<RegistryProblem>
}

/** Makes the cluster of a registration. Its role is always child. */
export const clusterOf = ({ connection, labels, name }: Registration): Cluster => ({
  name,
  role: "child",
  labels,
  origin: "registered",
  connection,
  generation: generationOf(connection)
})

const SOURCE = "registered cluster"

/** Names a registration in problems. **Example** `registered cluster "prod"` */
export const sourceOf = (name: string, source = SOURCE): string => `${source} ${JSON.stringify(name)}`

/**
 * Makes a registry of the clusters of `base` and of the registrations.
 *
 * **Shape** a name in `base` takes precedence: a registration with the same name is left out, with a problem, while
 * `base` has the name. `replace` replaces all registrations. In the problem of a registration, the field `source`
 * begins with the argument `source`.
 */
export const make = Effect.fnUntraced(function* (
  base: ClusterRegistry["Service"],
  first: Registrations,
  source: string = SOURCE
) {
  const present = yield* Ref.make(first)
  const publishLock = yield* Semaphore.make(1)
  const initial = yield* base.snapshot
  const { publish, registry } = yield* registryFeed.make(merged(initial, first, source), (problem) =>
    problem.source.startsWith(source)
  )
  const show = Effect.fnUntraced(
    function* () {
      yield* publish(merged(yield* base.snapshot, yield* Ref.get(present), source))
    },
    (publishing) => publishLock.withPermit(publishing)
  )
  yield* base.changes.pipe(
    Stream.filter((snapshot) => snapshot !== initial),
    Stream.runForEach(show),
    Effect.forkScoped
  )
  const replace = (registrations: Registrations) => Effect.andThen(Ref.set(present, registrations), show())
  return { registry: ClusterRegistry.of(registry), replace }
})

const merged = (base: RegistrySnapshot, { clusters, problems }: Registrations, source: string): RegistrySnapshot => {
  const names = new Set(base.clusters.map(({ name }) => name))
  const shadowed = clusters.filter(({ name }) => names.has(name))
  return {
    parent: base.parent,
    clusters: inOrder([...base.clusters, ...clusters.filter(({ name }) => !names.has(name)).map(clusterOf)]),
    problems: [
      ...base.problems,
      ...problems,
      ...shadowed.map(({ name }) => ({
        severity: "error" as const,
        code: "nameTaken" as const,
        source: sourceOf(name, source),
        message: `cluster name ${name} is already taken by a cluster that takes precedence`
      }))
    ]
  }
}
