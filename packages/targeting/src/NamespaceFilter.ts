/**
 * Selects the namespaces that a key may access, by name and by the current labels in each cluster.
 */
import { Schema } from "effect"

const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u
const LABEL_NAME =
  /^(?:(?=[^/]{1,253}\/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/u

/** The name of a namespace. **Shape** RFC 1123 label, 1 to 63 characters; no wildcards. */
export const NamespaceName = Schema.String.check(
  Schema.isPattern(DNS_LABEL, { expected: "a namespace name: 1 to 63 of a-z 0-9 -, first and last a letter or digit" })
)

/**
 * The key of a label.
 *
 * **Shape** `prefix/name` or `name`; a prefix has at most 253 characters, a name at most 63.
 *
 * **Source** Kubernetes, "Labels and Selectors: Syntax and character set".
 */
export const LabelKey = Schema.String.check(Schema.isPattern(LABEL_NAME, { expected: "a label key" }))
export const LabelValue = Schema.String.check(
  Schema.isPattern(LABEL_VALUE, {
    expected: "a label value: at most 63 of A-Z a-z 0-9 - _ ., first and last a letter or digit"
  })
)

const isLabelKey = Schema.is(LabelKey)

/**
 * Labels that a namespace must have, all of them.
 *
 * **Shape** at least one: an empty selector would match every namespace. Keys are checked here instead of by the
 * record's key schema, which would drop an invalid key and so widen the selector.
 */
export const MatchLabels = Schema.Record(Schema.String, LabelValue).check(
  Schema.isMinProperties(1, { expected: "at least one label" }),
  Schema.makeFilter((labels) => {
    const wrong = Object.keys(labels).find((key) => !isLabelKey(key))
    return wrong === undefined || { path: [wrong], issue: "is not a label key" }
  })
)

/**
 * Matches a namespace that has one of the names, if any are given, and all of the labels, if any are given.
 *
 * **Shape** at least one name or label; names may be empty if labels are given.
 */
export const NamespaceSelector = Schema.Struct({
  namespaceNames: Schema.Array(NamespaceName),
  labelSelector: Schema.optionalKey(Schema.Struct({ matchLabels: MatchLabels }))
}).check(
  Schema.makeFilter(
    (selector) =>
      selector.namespaceNames.length > 0
      || selector.labelSelector !== undefined
      || "at least one namespace name or a labelSelector: a selector with neither matches nothing"
  )
)
export type NamespaceSelector = typeof NamespaceSelector.Type

/** Every namespace, or those that at least one of the selectors matches. */
export type NamespaceFilter =
  | { readonly _tag: "All" }
  | { readonly _tag: "AnyOf"; readonly selectors: ReadonlyArray<NamespaceSelector> }

export const everyNamespace: NamespaceFilter = { _tag: "All" }
export const anyOf = (selectors: ReadonlyArray<NamespaceSelector>): NamespaceFilter => ({ _tag: "AnyOf", selectors })

/**
 * The current labels of a namespace. `undefined` if the service does not know whether its copy is current; then no
 * label matches.
 */
export type ProvenLabels = Readonly<Record<string, string>> | undefined

/**
 * Returns whether a filter matches a namespace.
 *
 * **Limits** pure; without current labels, only a selector with names alone can match.
 */
export const matches = (filter: NamespaceFilter, name: string, labels: ProvenLabels): boolean =>
  filter._tag === "All" || filter.selectors.some((selector) => selects(selector, name, labels))

/** Returns whether a filter reads labels. The copy of the namespaces' labels must then be kept current. */
export const needsLabels = (filter: NamespaceFilter): boolean =>
  filter._tag === "AnyOf" && filter.selectors.some((selector) => selector.labelSelector !== undefined)

/**
 * Returns whether `outer` matches every namespace that `inner` matches.
 *
 * **Shape** if `outer` has names, the names of `inner` are a subset of them. The labels of `inner` include those of
 * `outer`.
 */
export const isWithin = (inner: NamespaceSelector, outer: NamespaceSelector): boolean => {
  const namesWithin =
    outer.namespaceNames.length === 0
    || (inner.namespaceNames.length > 0 && inner.namespaceNames.every((name) => outer.namespaceNames.includes(name)))
  return namesWithin && carries(inner.labelSelector?.matchLabels ?? {}, outer.labelSelector?.matchLabels ?? {})
}

const selects = (selector: NamespaceSelector, name: string, labels: ProvenLabels): boolean => {
  const named = selector.namespaceNames.length === 0 || selector.namespaceNames.includes(name)
  if (!named) return false
  if (selector.labelSelector === undefined) return selector.namespaceNames.length > 0
  return labels !== undefined && carries(labels, selector.labelSelector.matchLabels)
}

const carries = (labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
