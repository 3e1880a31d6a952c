/**
 * The clusters that were registered at run time: kept encrypted, and shown beside those that the service was started with.
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

/** How many clusters may be registered. */
export const MaxRegistrations = Context.Reference<number>("@quarterdeck/http-server/services/MaxRegistrations", {
  defaultValue: () => 1_000
})

export class Registrations extends Context.Service<
  Registrations,
  {
    /** What every address of a registered cluster must keep to. */
    readonly addressRule: { readonly allowLoopback: boolean }
    /**
     * Keeps a cluster, and shows it from now on.
     *
     * **Errors** `ClusterExists`, `TooManyClusters`, `KeyStoreError`, with nothing done. **Shape** not interrupted half way.
     */
    readonly add: (
      registration: RegisteredClusters.Registration,
      by: string
    ) => Effect.Effect<void, ClusterExists | TooManyClusters | KeyStoreError>
    /** Forgets a cluster with its credentials; false for one that is not kept. */
    readonly remove: (name: ClusterName) => Effect.Effect<boolean, KeyStoreError>
    /** Tells whether a name is kept, also one that is not shown. */
    readonly has: (name: ClusterName) => Effect.Effect<boolean>
  }
>()("@quarterdeck/http-server/services/Registrations") {}

interface Kept extends RegisteredClusters.Registrations {
  /** Every name, those that cannot be read too. */
  readonly names: ReadonlySet<ClusterName>
}

const without = (kept: Kept, name: ClusterName): Kept => ({
  clusters: kept.clusters.filter((cluster) => cluster.name !== name),
  problems: kept.problems.filter(({ source }) => source !== RegisteredClusters.sourceOf(name)),
  names: new Set([...kept.names].filter((other) => other !== name))
})

/** Additional data: a row's secret is of no use under another name. */
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
  /** One change after the other, each to its end. */
  const change = <A, E>(work: Effect.Effect<A, E>) => Effect.uninterruptible(turn.withPermit(work))

  const add: Registrations["Service"]["add"] = (registration, by) =>
    change(
      Effect.gen(function* () {
        const { name } = registration
        const text = StoredConnection.print(registration)
        // What is posted never holds what cannot be kept.
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
  message: "its credentials cannot be opened under this secret file; drop the cluster and register it again"
})

/**
 * Provides the registry of all clusters, over the one that the service was started with.
 *
 * **Errors** `KeyStoreError`, `SecretFileUnusable`, `DataDirectoryUnusable`.
 */
export const layer = (settings: Pick<Settings, "clusters" | "dataDirectory">) => Layer.effectContext(make(settings))
