/**
 * The objects of one cluster, and the history of their recent changes.
 *
 * Every write increments one counter. The new value is the object's `resourceVersion` and the revision of the change.
 */
import { arrayAt, type JsonObject, textAt } from "./Json.ts"
import type { Resource } from "./Resource.ts"
import { keyOf, read, Stored } from "./Stored.ts"

/**
 * One change in the history.
 *
 * **Shape** without `before` the object is new; without `after` it was removed. `revision` is the change's own
 * revision.
 */
export interface Change {
  readonly resource: Resource
  readonly revision: number
  readonly before: Stored | undefined
  readonly after: Stored | undefined
}

interface Collection {
  /** The resource of its objects, by the latest definition. */
  resource: Resource
  readonly objects: Map<string, Stored>
  /** Keys in byte order, the order of paged lists. */
  keys: Array<string>
}

/**
 * Stores objects, their order and their history.
 *
 * **Limits** keeps `historyCapacity` changes for watches and reads of the past; older changes are compacted. Reads
 * and writes are synchronous. A write costs a binary search and one serialization.
 */
export class Store {
  // By storage name: all versions of a kind share one collection.
  readonly #collections = new Map<string, Collection>()
  readonly #listeners = new Map<string, Set<(change: Change) => void>>()
  readonly #everyListener = new Set<(change: Change) => void>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #uids = new Map<string, readonly [string, string]>()
  readonly #historyCapacity: number
  #history: Array<Change> = []
  #revision = 1
  #compacted = 0

  constructor(historyCapacity: number) {
    this.#historyCapacity = historyCapacity
  }

  /** Revision of the latest write. */
  get revision(): number {
    return this.#revision
  }

  /** Latest revision whose change was compacted. Later changes can still be replayed. */
  get compacted(): number {
    return this.#compacted
  }

  get(resource: Resource, key: string): Stored | undefined {
    return this.#collections.get(resource.storage)?.objects.get(key)
  }

  count(resource: Resource): number {
    return this.#collections.get(resource.storage)?.objects.size ?? 0
  }

  /**
   * Lists the objects of a namespace, or of all namespaces if it is empty, in key order. The list starts at the key
   * `from` and shows the objects at `revision`, which must not be compacted.
   *
   * **Limits** linear in the result. A list at an earlier revision copies the whole collection, undoes later changes and sorts.
   */
  list(resource: Resource, namespace: string, from = "", revision = this.#revision): ReadonlyArray<Stored> {
    const collection = this.#collections.get(resource.storage)
    if (collection === undefined) return []
    const prefix = namespace === "" ? "" : `${namespace}/`
    const start = from > prefix ? from : prefix
    if (revision >= this.#revision) {
      const found: Array<Stored> = []
      for (let index = lowerBound(collection.keys, start); index < collection.keys.length; index++) {
        const key = collection.keys[index]
        const stored = key === undefined ? undefined : collection.objects.get(key)
        if (stored === undefined || !stored.key.startsWith(prefix)) break
        found.push(stored)
      }
      return found
    }
    const past = new Map(collection.objects)
    for (let index = this.#history.length - 1; index >= 0; index--) {
      const change = this.#history[index]
      if (change === undefined || change.revision <= revision) break
      if (change.resource.storage !== resource.storage) continue
      if (change.before !== undefined) past.set(change.before.key, change.before)
      else if (change.after !== undefined) past.delete(change.after.key)
    }
    return [...past.values()]
      .filter((stored) => stored.key >= start && stored.key.startsWith(prefix))
      .toSorted((left, right) => (left.key < right.key ? -1 : 1))
  }

  /** Resources that have had objects. */
  resources(): ReadonlyArray<Resource> {
    return [...this.#collections.values()].map(({ resource }) => resource)
  }

  /** Every object in a namespace, of all kinds. */
  contents(namespace: string): ReadonlyArray<readonly [Resource, Stored]> {
    return [...this.#collections.values()]
      .filter(({ resource }) => resource.namespaced)
      .flatMap(({ resource }) => this.list(resource, namespace).map((stored) => [resource, stored] as const))
  }

  /** Returns whether a namespace contains any object. **Limits** one binary search per kind. */
  holdsAny(namespace: string): boolean {
    const prefix = `${namespace}/`
    for (const { keys, resource } of this.#collections.values()) {
      if (resource.namespaced && keys[lowerBound(keys, prefix)]?.startsWith(prefix) === true) return true
    }
    return false
  }

  /** Every object that has the uid among its owners. */
  dependents(uid: string): ReadonlyArray<readonly [Resource, Stored]> {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => {
      const found = this.byUid(dependent)
      return found === undefined ? [] : [found]
    })
  }

  /** The object with a uid, of any kind. */
  byUid(uid: string): readonly [Resource, Stored] | undefined {
    const found = this.#uids.get(uid)
    return found === undefined ? undefined : this.#at(found[0], found[1])
  }

  /** Creates or replaces an object and notifies the subscribers. */
  write(resource: Resource, object: JsonObject): Stored {
    const key = keyOf(textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name"))
    const like = this.get(resource, key) ?? this.#sibling(object)
    return this.#place(resource, Stored.of(resource, object, key, ++this.#revision, like))
  }

  /** Restores an earlier state of an object under a new revision, and notifies the subscribers. */
  restore(resource: Resource, old: Stored): Stored {
    return this.#place(resource, old.at(++this.#revision))
  }

  /** Removes an object. Returns its last state under the revision of the removal. */
  remove(resource: Resource, stored: Stored): Stored {
    const collection = this.#collection(resource)
    const revision = ++this.#revision
    collection.objects.delete(stored.key)
    const index = lowerBound(collection.keys, stored.key)
    if (collection.keys[index] === stored.key) collection.keys.splice(index, 1)
    this.#unlink(resource, stored)
    this.#record({ resource, revision, before: stored, after: undefined })
    return stored.at(revision)
  }

  /** Changes of a resource after a revision that is not compacted, oldest first. */
  changesSince(resource: Resource, revision: number): ReadonlyArray<Change> {
    return this.#history
      .slice(upperBound(this.#history, revision))
      .filter((change) => change.resource.storage === resource.storage)
  }

  /** Calls `listener` for every later change of a resource. Returns a function that cancels the subscription. */
  subscribe(resource: Resource, listener: (change: Change) => void): () => void {
    const listeners = this.#listeners.get(resource.storage) ?? new Set()
    this.#listeners.set(resource.storage, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls `listener` for every later change of any kind. Returns a function that cancels the subscription. */
  subscribeAll(listener: (change: Change) => void): () => void {
    this.#everyListener.add(listener)
    return () => this.#everyListener.delete(listener)
  }

  /** Drops the whole history. Paged lists, exact reads and watches of earlier revisions expire. */
  compact(): void {
    this.#history = []
    this.#compacted = this.#revision
  }

  /**
   * Applies the latest definition of a kind to its stored objects. `change` rewrites each object; the revisions stay,
   * and no subscriber is notified.
   */
  redefine(resource: Resource, change: (object: JsonObject) => JsonObject): void {
    const collection = this.#collection(resource)
    collection.resource = resource
    for (const [key, stored] of collection.objects) {
      collection.objects.set(key, Stored.of(resource, change(read(stored)), key, stored.revision))
    }
  }

  /** Resets the revision counter and the history of a store that no longer contains objects. */
  resetRevisions(): void {
    this.#history = []
    this.#compacted = 0
    this.#revision = 1
  }

  #place(resource: Resource, stored: Stored): Stored {
    const { objects, keys } = this.#collection(resource)
    const before = objects.get(stored.key)
    if (before === undefined) keys.splice(lowerBound(keys, stored.key), 0, stored.key)
    objects.set(stored.key, stored)
    if (before === undefined || before.uid !== stored.uid || before.owners.join() !== stored.owners.join()) {
      if (before !== undefined) this.#unlink(resource, before)
      this.#link(resource, stored)
    }
    this.#record({ resource, revision: stored.revision, before, after: stored })
    return stored
  }

  #collection(resource: Resource): Collection {
    const known = this.#collections.get(resource.storage)
    if (known !== undefined) return known
    const made: Collection = { resource, objects: new Map(), keys: [] }
    this.#collections.set(resource.storage, made)
    return made
  }

  #at(storage: string, key: string): readonly [Resource, Stored] | undefined {
    const collection = this.#collections.get(storage)
    const stored = collection?.objects.get(key)
    return collection === undefined || stored === undefined ? undefined : [collection.resource, stored]
  }

  /** Another object of the same owner. Pods of one ReplicaSet, for example, share most of their text. */
  #sibling(object: JsonObject): Stored | undefined {
    const owner = textAt(arrayAt(object, "metadata", "ownerReferences")[0], "uid")
    for (const uid of this.#dependents.get(owner) ?? []) return this.byUid(uid)?.[1]
    return undefined
  }

  #link(resource: Resource, stored: Stored): void {
    this.#uids.set(stored.uid, [resource.storage, stored.key])
    for (const owner of stored.owners) {
      const dependents = this.#dependents.get(owner) ?? new Set<string>()
      this.#dependents.set(owner, dependents)
      dependents.add(stored.uid)
    }
  }

  #unlink(resource: Resource, stored: Stored): void {
    if (this.get(resource, stored.key)?.uid !== stored.uid) this.#uids.delete(stored.uid)
    for (const owner of stored.owners) {
      const dependents = this.#dependents.get(owner)
      dependents?.delete(stored.uid)
      if (dependents?.size === 0) this.#dependents.delete(owner)
    }
  }

  #record(change: Change): void {
    this.#history.push(change)
    const excess = this.#history.length - this.#historyCapacity
    if (excess > 0) this.#compacted = this.#history[excess - 1]?.revision ?? this.#compacted
    // Dropping changes in blocks keeps the cost linear; dropping one per change would move the whole history each
    // time.
    if (excess > 1_000) this.#history = this.#history.slice(excess)
    for (const listener of this.#listeners.get(change.resource.storage) ?? []) listener(change)
    for (const listener of this.#everyListener) listener(change)
  }
}

/** First index whose key is not below the sought key. */
const lowerBound = (keys: ReadonlyArray<string>, sought: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const key = keys[middle]
    if (key !== undefined && key < sought) low = middle + 1
    else high = middle
  }
  return low
}

/** First index whose change came after a revision. */
const upperBound = (changes: ReadonlyArray<Change>, revision: number): number => {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const change = changes[middle]
    if (change !== undefined && change.revision <= revision) low = middle + 1
    else high = middle
  }
  return low
}
