/**
 * The clusters that a watched collection of objects in the parent cluster describes.
 */
import {
  ArgoSecret,
  ClusterProfile,
  type ForeignConnection,
  type KubeObject,
  type RegisteredClusters
} from "@quarterdeck/cluster-fanout"
import type { RegistryProblem } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Result } from "effect"

/** The prefix of the source in problems of objects in the parent cluster. */
export const SOURCE = "object of the parent"

/** A collection to watch. */
export interface Collection {
  readonly scope: KubeObject.Scope
  /** Reads the cluster that an object describes. Returns `undefined` if the object describes no cluster. */
  readonly read: (
    object: unknown,
    rules: ForeignConnection.ForeignRules
  ) => ReturnType<typeof ClusterProfile.read> | undefined
}

const SECRETS = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true }
const PROFILES = {
  group: "multicluster.x-k8s.io",
  version: "v1alpha1",
  plural: "clusterprofiles",
  kind: "ClusterProfile",
  namespaced: true
}

/** Returns the collection of Argo CD Secrets in a namespace. */
export const argoSecrets = (namespace: string): Collection => ({
  scope: { resource: SECRETS, namespace },
  read: ArgoSecret.read
})

/** Returns the collection of ClusterProfiles in a namespace. */
export const profiles = (namespace: string): Collection => ({
  scope: { resource: PROFILES, namespace },
  read: ClusterProfile.read
})

type Found = Result.Result<RegisteredClusters.Registration, RegistryProblem>

/** Stores the cluster or problem of each object by name, and nothing else of the object. */
export class ParentObjects {
  readonly #collection: Collection
  readonly #rules: ForeignConnection.ForeignRules
  #found = new Map<string, Found>()
  /** The state of a list in progress, not visible until the list is complete. */
  #coming: Map<string, Found> | undefined
  #trouble: RegistryProblem | undefined

  constructor(collection: Collection, rules: ForeignConnection.ForeignRules) {
    this.#collection = collection
    this.#rules = rules
  }

  /** Applies the events of a watch. */
  apply(events: ReadonlyArray<KubeObject.WatchEvent>): void {
    for (const event of events) {
      switch (event._tag) {
        case "Restart":
          this.restart()
          break
        case "Put":
          this.#put(event.object)
          break
        case "Delete":
          ;(this.#coming ?? this.#found).delete(event.object.metadata.name)
          break
        case "Synced":
          this.#found = this.#coming ?? this.#found
          this.#coming = undefined
          this.#trouble = undefined
          break
        case "Bookmark":
        case "Resumed":
          break
      }
    }
  }

  /** Starts a new list. The current state stays visible until the list is complete. */
  restart(): void {
    this.#coming = new Map()
  }

  /** Records that the collection cannot be read. Its last objects stay. */
  fail(message: string): void {
    this.#trouble = { severity: "error", code: "sourceUnreadable", source: this.#sourceOf("*"), message }
  }

  /** The cluster or problem of each object, sorted by object name. */
  get known(): ReadonlyArray<readonly [source: string, found: Found]> {
    const found = [...this.#found].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return found.map(([name, one]) => [this.#sourceOf(name), one] as const)
  }

  get trouble(): RegistryProblem | undefined {
    return this.#trouble
  }

  #put(object: KubeObject.KubeObject): void {
    const { name } = object.metadata
    const read = this.#collection.read(object, this.#rules)
    const target = this.#coming ?? this.#found
    if (read === undefined) {
      target.delete(name)
      return
    }
    const source = this.#sourceOf(name)
    target.set(
      name,
      Result.mapError(read, (refusal) => ({ severity: "error", source, ...refusal }))
    )
  }

  #sourceOf(name: string): string {
    const { namespace = "", resource } = this.#collection.scope
    return `${SOURCE}: ${resource.kind} ${namespace}/${name}`
  }
}
