/**
 * The objects of one cluster, and what happened to them lately.
 *
 * Every write takes the next number of one counter; that number is the object's `resourceVersion` and the place of the
 * change in the history.
 */
import { arrayAt, type JsonObject, textAt } from "./Json.ts"
import type { Resource } from "./Resource.ts"
import { keyOf, read, Stored } from "./Stored.ts"

/**
 * One step of the history.
 *
 * **Shape** without `before` the object is new; without `after` it is gone. `revision` is the step's own number.
 */
export interface Change {
  readonly resource: Resource
  readonly revision: number
  readonly before: Stored | undefined
  readonly after: Stored | undefined
}

interface Collection {
  /** What its objects are of, by the latest definition. */
  resource: Resource
  readonly objects: Map<string, Stored>
  /** Keys in byte order, as pages walk them. */
  keys: Array<string>
}

/**
 * Holds objects, their order and their history.
 *
 * **Limits** `historyCapacity` changes are kept for watchers and for reads of the past; what is older is compacted.
 * Reads and writes are synchronous; a write costs a binary search and one serialisation.
 */
export class Store {
  // By place of storage: a kind has one, however many versions it is served in.
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

  /** The number of the latest write. */
  get revision(): number {
    return this.#revision
  }

  /** The latest number whose change is forgotten; what came after it can still be replayed. */
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
   * Lists the objects of a namespace, or of all for the empty one, in key order, from a key on, as they are or as they
   * were at a revision that is not compacted yet.
   *
   * **Limits** the present costs what it returns; the past costs the changes since then and a sort.
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

  /** The resources of which objects have been kept. */
  resources(): ReadonlyArray<Resource> {
    return [...this.#collections.values()].map(({ resource }) => resource)
  }

  /** Every object that a namespace holds, over all kinds. */
  contents(namespace: string): ReadonlyArray<readonly [Resource, Stored]> {
    return [...this.#collections.values()]
      .filter(({ resource }) => resource.namespaced)
      .flatMap(({ resource }) => this.list(resource, namespace).map((stored) => [resource, stored] as const))
  }

  /** Whether a namespace holds any object. **Limits** a binary search a kind. */
  holdsAny(namespace: string): boolean {
    const prefix = `${namespace}/`
    for (const { keys, resource } of this.#collections.values()) {
      if (resource.namespaced && keys[lowerBound(keys, prefix)]?.startsWith(prefix) === true) return true
    }
    return false
  }

  /** Every object that names a uid among its owners. */
  dependents(uid: string): ReadonlyArray<readonly [Resource, Stored]> {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => {
      const found = this.byUid(dependent)
      return found === undefined ? [] : [found]
    })
  }

  /** The object with a uid, whatever its kind. */
  byUid(uid: string): readonly [Resource, Stored] | undefined {
    const found = this.#uids.get(uid)
    return found === undefined ? undefined : this.#at(found[0], found[1])
  }

  /** Writes an object, new or not, and tells the watchers. */
  write(resource: Resource, object: JsonObject): Stored {
    const key = keyOf(textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name"))
    const like = this.get(resource, key) ?? this.#sibling(object)
    return this.#place(resource, Stored.of(resource, object, key, ++this.#revision, like))
  }

  /** Puts an object back as it was at some time, under a new version, and tells the watchers. */
  putBack(resource: Resource, old: Stored): Stored {
    return this.#place(resource, old.at(++this.#revision))
  }

  /** Removes an object that exists, and gives it back as it was at its end, under the number of its removal. */
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

  /** The changes of a resource after a revision that is not compacted, oldest first. */
  changesSince(resource: Resource, revision: number): ReadonlyArray<Change> {
    return this.#history
      .slice(upperBound(this.#history, revision))
      .filter((change) => change.resource.storage === resource.storage)
  }

  /** Calls back on every later change of a resource until the returned function is called. */
  subscribe(resource: Resource, listener: (change: Change) => void): () => void {
    const listeners = this.#listeners.get(resource.storage) ?? new Set()
    this.#listeners.set(resource.storage, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls back on every later change of any kind until the returned function is called. */
  subscribeAll(listener: (change: Change) => void): () => void {
    this.#everyListener.add(listener)
    return () => this.#everyListener.delete(listener)
  }

  /** Forgets the whole history: older versions are gone from now on, for pages, exact reads and watches. */
  compact(): void {
    this.#history = []
    this.#compacted = this.#revision
  }

  /**
   * Takes the latest definition of a kind for its objects: they read as `change` makes them, under the versions that
   * they have, and nobody is told.
   */
  redefine(resource: Resource, change: (object: JsonObject) => JsonObject): void {
    const collection = this.#collection(resource)
    collection.resource = resource
    for (const [key, stored] of collection.objects) {
      collection.objects.set(key, Stored.of(resource, change(read(stored)), key, stored.revision))
    }
  }

  /** Begins to count anew, in a store that holds no object any more. */
  beginAnew(): void {
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

  /** Another object of the same owner: the texts of the pods of a ReplicaSet have most in common. */
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
    // Dropping in blocks keeps it linear: a shift for every change would move the whole history each time.
    if (excess > 1_000) this.#history = this.#history.slice(excess)
    for (const listener of this.#listeners.get(change.resource.storage) ?? []) listener(change)
    for (const listener of this.#everyListener) listener(change)
  }
}

/** The first index whose key is not below the one sought. */
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

/** The first index whose change came after a revision. */
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
