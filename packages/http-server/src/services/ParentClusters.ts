/**
 * Adds the clusters that Argo CD Secrets and ClusterProfiles of the parent cluster describe, and watches these objects.
 */
import { RegisteredClusters } from "@quarterdeck/cluster-fanout"
import { ClusterRegistry, type RegistryProblem } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import { Effect, Layer, Result, Schedule, Stream } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as ParentObjects from "./ParentObjects.ts"
import { MaxRegistrations } from "./Registrations.ts"

/** Delay before a failed watch starts again. */
const RETRY = "5 seconds"

/** Merges the clusters of the collections. If two objects have the same cluster name, the first wins. */
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
      const message = `another object already uses the cluster name ${name}`
      problems.push({ severity: "error", code: "nameTaken", source, message })
    } else if (clusters.size >= most) {
      const message = `the limit of ${most} clusters from objects of the parent cluster is reached`
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
 * Provides the registry with the clusters of the parent's objects, if the settings name namespaces to watch.
 *
 * **Shape** clusters from kubeconfig files and registered clusters win over an object with the same name. An unusable
 * object is a problem of the registry and does not affect others. While the parent does not answer, the objects that
 * were read last stay in effect.
 *
 * **Limits** one watch per namespace and kind; at most {@link MaxRegistrations} clusters.
 */
export const layer = (settings: Pick<Settings, "clusters">) => {
  const { argoSecrets, profiles } = settings.clusters
  const isUsed = argoSecrets.length + profiles.length > 0
  return Layer.effect(ClusterRegistry, isUsed ? make(settings) : Effect.service(ClusterRegistry))
}
