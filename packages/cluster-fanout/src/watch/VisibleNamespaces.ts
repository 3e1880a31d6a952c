/**
 * The namespaces of one cluster that a reader may see, kept with their labels.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { ClusterStore } from "../cache/ClusterStore.ts"

export class VisibleNamespaces {
  readonly #filter: NamespaceFilter.NamespaceFilter
  /** Those that are in reach by their labels; without labels in the filter nothing changes, and none is kept. */
  #labelled: ReadonlySet<string> = new Set()
  #seen = ""
  #store: ClusterStore | undefined

  constructor(filter: NamespaceFilter.NamespaceFilter) {
    this.#filter = filter
  }

  /** The namespaces that labels bring into reach now, sorted. */
  get labelled(): ReadonlyArray<string> {
    return [...this.#labelled].toSorted()
  }

  /** Tells whether a namespace is in reach. */
  has(namespace: string): boolean {
    return NamespaceFilter.matches(this.#filter, namespace, undefined) || this.#labelled.has(namespace)
  }

  /**
   * Reads the labels again if they may have changed, or are no longer proven.
   *
   * **Shape** gives the namespaces that came into reach, or left it. **Limits** linear in the namespaces when one changed.
   */
  refresh(store: ClusterStore | undefined, now: number): ReadonlySet<string> {
    if (!NamespaceFilter.needsLabels(this.#filter)) return new Set()
    const seen = store === undefined ? "" : `${store.table("Namespace").version} ${String(store.provesLabels(now))}`
    if (seen === this.#seen && store === this.#store) return new Set()
    this.#seen = seen
    this.#store = store
    const labelsOf = store?.labelsAt(now)
    const names = labelsOf === undefined ? [] : [...(store?.namespaces().keys() ?? [])]
    const before = this.#labelled
    const after = new Set(names.filter((name) => NamespaceFilter.matches(this.#filter, name, labelsOf?.(name))))
    this.#labelled = after
    return new Set([...before, ...after].filter((name) => before.has(name) !== after.has(name)))
  }
}
