/**
 * Adds the clusters that Secrets of Argo CD and ClusterProfiles of the parent describe, and follows them as they change.
 */
import { RegisteredClusters } from "@quarterdeck/cluster-fanout"
import { ClusterRegistry, type RegistryProblem } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import { Effect, Layer, Result, Schedule, Stream } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as ParentObjects from "./ParentObjects.ts"
import { MaxRegistrations } from "./Registrations.ts"

/** How long after a failure the collection is asked for again. */
const RETRY = "5 seconds"

/** Puts together what the collections hold. **Shape** of two with one name the first counts. */
const registrationsOf = (
  collections: ReadonlyArray<ParentObjects.ParentObjects>,
  most: number
): RegisteredClusters.Registrations => {
  const clusters = new Map<string, RegisteredClusters.Registration>()
  const problems: Array<RegistryProblem> = collections.flatMap(({ trouble }) => trouble ?? [])
  for (const [source, found] of collections.flatMap(({ known }) => known)) {
    if (Result.isFailure(found)) {
      problems.push(found.failure)
      continue
    }
    const { name } = found.success
    if (clusters.has(name)) {
      const message = `cluster name ${name} is already taken by another object`
      problems.push({ severity: "error", code: "nameTaken", source, message })
    } else if (clusters.size >= most) {
      const message = `${most} clusters of the parent's objects are followed, which is the most`
      problems.push({ severity: "error", code: "tooManyClusters", source, message })
    } else clusters.set(name, found.success)
  }
  return { clusters: [...clusters.values()], problems }
}

const make = Effect.fnUntraced(function* ({
  clusters: { allowedCommands, allowLoopback, argoSecrets, profiles }
}: Pick<Settings, "clusters">) {
  const base = yield* ClusterRegistry
  const api = yield* KubeApi
  const most = yield* MaxRegistrations
  const rules = { addressRule: { allowLoopback }, allowedCommands }
  const followed = [...argoSecrets.map(ParentObjects.argoSecrets), ...profiles.map(ParentObjects.profiles)].map(
    (collection) => ({ scope: collection.scope, objects: new ParentObjects.ParentObjects(collection, rules) })
  )
  const all = followed.map(({ objects }) => objects)
  const { registry, replace } = yield* RegisteredClusters.make(
    base,
    { clusters: [], problems: [] },
    ParentObjects.SOURCE
  )
  const show = Effect.suspend(() => replace(registrationsOf(all, most)))

  const follow = ({ objects, scope }: (typeof followed)[number]) =>
    Effect.gen(function* () {
      const { clusters } = yield* base.snapshot
      objects.restart()
      for (const parent of clusters.filter(({ role }) => role === "parent")) {
        yield* api.follow(parent, scope).pipe(
          Stream.runForEach((events) => {
            objects.apply(events)
            return show
          })
        )
      }
    }).pipe(
      Effect.catch((error) => {
        objects.fail(error.message)
        return show
      }),
      Effect.repeat(Schedule.spaced(RETRY))
    )
  yield* Effect.forEach(followed, (one) => Effect.forkScoped(follow(one)), { discard: true })
  return registry
})

/**
 * Provides the registry with the clusters of the parent's objects, where the settings name namespaces of such.
 *
 * **Shape** a cluster of a kubeconfig, and one that was registered, goes before one of an object; an object that cannot be used is a problem
 * of the registry, and the others count. A parent that does not answer keeps what was read before.
 *
 * **Limits** one watch for each namespace and kind; as many clusters as may be registered.
 */
export const layer = (settings: Pick<Settings, "clusters">) => {
  const { argoSecrets, profiles } = settings.clusters
  const isUsed = argoSecrets.length + profiles.length > 0
  return Layer.effect(ClusterRegistry, isUsed ? make(settings) : Effect.service(ClusterRegistry))
}
