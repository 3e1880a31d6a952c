/**
 * Registered names that refer to the same cluster.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"

const NONE: ReadonlyArray<ClusterName.ClusterName> = []

/**
 * Groups registered names by the uid of their cluster's `kube-system` namespace.
 *
 * **Limits** a lookup reads two maps; a change is linear in its group.
 */
export class SameCluster {
  readonly #uidOf = new Map<ClusterName.ClusterName, string>()
  /** Sorted names of each group. */
  readonly #namesOf = new Map<string, ReadonlyArray<ClusterName.ClusterName>>()
  readonly #onGroup: (names: ReadonlyArray<ClusterName.ClusterName>) => void

  /** Makes the index. Calls `onGroup` with the names of a group each time a name joins others. */
  constructor(onGroup: (names: ReadonlyArray<ClusterName.ClusterName>) => void) {
    this.#onGroup = onGroup
  }

  /** Sets the uid of a name. `undefined` if the uid is unknown or the name was removed. */
  note(name: ClusterName.ClusterName, uid: string | undefined): void {
    const before = this.#uidOf.get(name)
    if (before === uid) return
    if (before !== undefined) this.#leave(name, before)
    if (uid === undefined) return
    this.#uidOf.set(name, uid)
    const group = [...(this.#namesOf.get(uid) ?? NONE), name].toSorted(ClusterName.order)
    this.#namesOf.set(uid, group)
    if (group.length > 1) this.#onGroup(group)
  }

  /** Returns the other registered names of a cluster, sorted. */
  othersOf(name: ClusterName.ClusterName): ReadonlyArray<ClusterName.ClusterName> {
    const uid = this.#uidOf.get(name)
    const group = uid === undefined ? NONE : (this.#namesOf.get(uid) ?? NONE)
    return group.length > 1 ? group.filter((other) => other !== name) : NONE
  }

  #leave(name: ClusterName.ClusterName, uid: string): void {
    this.#uidOf.delete(name)
    const rest = (this.#namesOf.get(uid) ?? NONE).filter((other) => other !== name)
    if (rest.length === 0) this.#namesOf.delete(uid)
    else this.#namesOf.set(uid, rest)
  }
}
