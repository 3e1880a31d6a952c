/**
 * The identity of a cluster: the uid of its `kube-system` namespace, which lives as long as the cluster.
 */
import type { Observer } from "./KindTable.ts"
import type { NamespaceRecord } from "../projection/Projection.ts"

/** The namespace that every cluster has from its start, and that no request can delete. */
const NAME = "kube-system"

/** Called with the new uid whenever it changes; `undefined` while it is unknown. */
export type OnUid = (uid: string | undefined) => void

/** Tracks the uid in the namespaces of a cluster's cache. **Limits** one comparison a change. */
export class SystemNamespace implements Observer<NamespaceRecord> {
  readonly #onUid: OnUid
  #uid: string | undefined

  constructor(onUid: OnUid) {
    this.#onUid = onUid
  }

  /** The uid. **Shape** `undefined` while namespaces are not read, or if the credential may not read them. */
  get uid(): string | undefined {
    return this.#uid
  }

  put({ name, uid }: NamespaceRecord): void {
    if (name === NAME) this.#note(uid)
  }

  gone({ name, uid }: NamespaceRecord): void {
    if (name === NAME && uid === this.#uid) this.#note(undefined)
  }

  whole(namespaces: ReadonlyMap<string, NamespaceRecord>): void {
    for (const { name, uid } of namespaces.values()) {
      if (name === NAME) return this.#note(uid)
    }
    this.#note(undefined)
  }

  #note(uid: string | undefined): void {
    // An empty uid would group unrelated clusters.
    const next = uid === "" ? undefined : uid
    if (next === this.#uid) return
    this.#uid = next
    this.#onUid(next)
  }
}
