/**
 * The namespaces of one cluster that a reader may see, updated with their labels.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { ClusterStore } from "../cache/ClusterStore.ts"

export class VisibleNamespaces {
  readonly #filter: NamespaceFilter.NamespaceFilter
  /** Namespaces selected by their labels. Always empty if the filter has no label selector. */
  #labelled: ReadonlySet<string> = new Set()
  #state = ""
  #store: ClusterStore | undefined

  constructor(filter: NamespaceFilter.NamespaceFilter) {
    this.#filter = filter
  }

  /** The namespaces currently selected by labels, sorted. */
  get labelled(): ReadonlyArray<string> {
    return [...this.#labelled].toSorted()
  }

  /** Returns whether a namespace is visible. */
  has(namespace: string): boolean {
    return NamespaceFilter.matches(this.#filter, namespace, undefined) || this.#labelled.has(namespace)
  }

  /**
   * Evaluates the labels again if they may have changed or are no longer confirmed as current.
   *
   * **Shape** returns the namespaces whose visibility changed. **Limits** linear in the namespaces if one of them
   * changed.
   */
  refresh(store: ClusterStore | undefined, now: number): ReadonlySet<string> {
    if (!NamespaceFilter.needsLabels(this.#filter)) return new Set()
    const state = store === undefined ? "" : `${store.table("Namespace").version} ${String(store.provesLabels(now))}`
    if (state === this.#state && store === this.#store) return new Set()
    this.#state = state
    this.#store = store
    const labelsOf = store?.labelsAt(now)
    const names = labelsOf === undefined ? [] : [...(store?.namespaces().keys() ?? [])]
    const before = this.#labelled
    const after = new Set(names.filter((name) => NamespaceFilter.matches(this.#filter, name, labelsOf?.(name))))
    this.#labelled = after
    return new Set([...before, ...after].filter((name) => before.has(name) !== after.has(name)))
  }
}
