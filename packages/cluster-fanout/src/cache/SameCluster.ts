/**
 * Registered names that lead to one and the same cluster.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"

const NONE: ReadonlyArray<ClusterName.ClusterName> = []

/**
 * Groups registered names by the uid of their cluster's `kube-system` namespace.
 *
 * **Limits** a look-up is two reads of maps; a change costs the size of its group.
 */
export class SameCluster {
  readonly #uidOf = new Map<ClusterName.ClusterName, string>()
  /** Sorted, so that every reader sees one order. */
  readonly #namesOf = new Map<string, ReadonlyArray<ClusterName.ClusterName>>()
  readonly #onGroup: (names: ReadonlyArray<ClusterName.ClusterName>) => void

  /** Calls `onGroup` with the names of a group each time that a name joins others. */
  constructor(onGroup: (names: ReadonlyArray<ClusterName.ClusterName>) => void) {
    this.#onGroup = onGroup
  }

  /** Notes the uid behind a name; `undefined` for an unknown one, and for a name that was dropped. */
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

  /** Returns the other registered names of a name's cluster, sorted. */
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
