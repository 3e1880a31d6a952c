/**
 * The clusters registered at run time, stored encrypted and added to the clusters of the configuration.
 */
import { RegisteredClusters, StoredConnection } from "@quarterdeck/cluster-fanout"
import { ClusterRegistry, type RegistryProblem } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { RegisteredClusterStore, Sealed } from "@quarterdeck/keys"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, DateTime, Effect, Layer, Option, Redacted, Ref, Semaphore } from "effect"
import type { Settings } from "../settings/Settings.ts"
import { ClusterExists, TooManyClusters } from "./RegistrationError.ts"
import * as ClusterCredentialKey from "./ClusterCredentialKey.ts"

/** Maximum number of registered clusters. */
export const MaxRegistrations = Context.Reference<number>("@quarterdeck/http-server/services/MaxRegistrations", {
  defaultValue: () => 1_000
})

export class Registrations extends Context.Service<
  Registrations,
  {
    /** The rule for addresses of registered clusters. */
    readonly addressRule: { readonly allowLoopback: boolean }
    /**
     * Stores a cluster and adds it to the registry. Not interruptible.
     *
     * **Errors** `ClusterExists`, `TooManyClusters`, `KeyStoreError`; they leave nothing changed.
     */
    readonly add: (
      registration: RegisteredClusters.Registration,
      by: string
    ) => Effect.Effect<void, ClusterExists | TooManyClusters | KeyStoreError>
    /** Removes a cluster and its credentials. Returns false if the cluster is not stored. */
    readonly remove: (name: ClusterName) => Effect.Effect<boolean, KeyStoreError>
    /** Returns true if a cluster of that name is stored, even if its credentials are unreadable. */
    readonly has: (name: ClusterName) => Effect.Effect<boolean>
  }
>()("@quarterdeck/http-server/services/Registrations") {}

interface Kept extends RegisteredClusters.Registrations {
  /** All stored names, including clusters with unreadable credentials. */
  readonly names: ReadonlySet<ClusterName>
}

const without = (kept: Kept, name: ClusterName): Kept => ({
  clusters: kept.clusters.filter((cluster) => cluster.name !== name),
  problems: kept.problems.filter(({ source }) => source !== RegisteredClusters.sourceOf(name)),
  names: new Set([...kept.names].filter((other) => other !== name))
})

/** The additional authenticated data of the encryption: a secret cannot be decrypted under another name. */
const aboutOf = (name: ClusterName): string => `registered cluster ${name}`

const make = Effect.fnUntraced(function* (settings: Pick<Settings, "clusters" | "dataDirectory">) {
  const base = yield* ClusterRegistry
  const store = yield* RegisteredClusterStore.RegisteredClusterStore
  const key = yield* ClusterCredentialKey.read(settings)
  const most = yield* MaxRegistrations
  const addressRule = { allowLoopback: settings.clusters.allowLoopback }

  const read = ({ name, sealed }: RegisteredClusterStore.RegisteredClusterRecord) =>
    Sealed.open(Redacted.value(key), sealed, aboutOf(name)).pipe(
      Option.flatMap((text) => StoredConnection.read(text, addressRule)),
      Option.map((stored) => ({ name, ...stored }))
    )
  const records = yield* store.list
  const first: Kept = {
    clusters: records.flatMap((record) => Option.toArray(read(record))),
    problems: records.filter((record) => Option.isNone(read(record))).map(({ name }) => unreadable(name)),
    names: new Set(records.map(({ name }) => name))
  }
  const present = yield* Ref.make(first)
  const { registry, replace } = yield* RegisteredClusters.make(base, first)
  const turn = yield* Semaphore.make(1)
  const show = (kept: Kept) => Effect.andThen(Ref.set(present, kept), replace(kept))
  /** Runs changes one after the other, without interruption. */
  const change = <A, E>(work: Effect.Effect<A, E>) => Effect.uninterruptible(turn.withPermit(work))

  const add: Registrations["Service"]["add"] = (registration, by) =>
    change(
      Effect.gen(function* () {
        const { name } = registration
        const text = StoredConnection.print(registration)
        // Posted connections never contain parts that cannot be stored.
        if (Option.isNone(text)) return yield* Effect.die(new Error("a connection that cannot be kept was registered"))
        const sealed = Sealed.seal(Redacted.value(key), text.value, aboutOf(name))
        const createdAt = yield* DateTime.now
        const state = yield* store.insert({ name, sealed, createdAt, createdBy: by }, most)
        if (state === "taken") return yield* new ClusterExists({ name })
        if (state === "full") return yield* new TooManyClusters({ most })
        const kept = yield* Ref.get(present)
        yield* show({ ...kept, clusters: [...kept.clusters, registration], names: new Set([...kept.names, name]) })
      })
    )
  const remove: Registrations["Service"]["remove"] = (name) =>
    change(
      Effect.gen(function* () {
        const wasKept = yield* store.remove(name)
        if (wasKept) yield* show(without(yield* Ref.get(present), name))
        return wasKept
      })
    )
  const has = (name: ClusterName) => Effect.map(Ref.get(present), ({ names }) => names.has(name))
  return Context.make(ClusterRegistry, registry).pipe(
    Context.add(Registrations, Registrations.of({ addressRule, add, remove, has }))
  )
})

const unreadable = (name: ClusterName): RegistryProblem => ({
  severity: "error",
  code: "registrationUnreadable",
  source: RegisteredClusters.sourceOf(name),
  message: "its credentials cannot be decrypted with the current secret file; drop the cluster and register it again"
})

/**
 * Provides the registry of all clusters, built on the registry of configured clusters.
 *
 * **Errors** `KeyStoreError`, `SecretFileUnusable`, `DataDirectoryUnusable`.
 */
export const layer = (settings: Pick<Settings, "clusters" | "dataDirectory">) => Layer.effectContext(make(settings))
