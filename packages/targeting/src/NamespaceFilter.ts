/**
 * The namespaces that a key reaches, decided by name and by the live labels of each cluster.
 */
import { Schema } from "effect"

const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u
const LABEL_NAME =
  /^(?:(?=[^/]{1,253}\/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/u

/** The name of a namespace. **Shape** RFC 1123 label, 1 to 63 characters; no globbing. */
export const NamespaceName = Schema.String.check(
  Schema.isPattern(DNS_LABEL, { expected: "a namespace name: 1 to 63 of a-z 0-9 -, first and last a letter or digit" })
)

/**
 * The key of a label.
 *
 * **Shape** `prefix/name` or `name`; a prefix has at most 253 characters, a name 63.
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
 * Labels that a namespace must carry, all of them.
 *
 * **Shape** at least one: an empty selector would mean every namespace. Keys are checked here and not by the record's
 * own key schema, which would drop a key that does not fit it, and so widen the selector.
 */
export const MatchLabels = Schema.Record(Schema.String, LabelValue).check(
  Schema.isMinProperties(1, { expected: "at least one label" }),
  Schema.makeFilter((labels) => {
    const wrong = Object.keys(labels).find((key) => !isLabelKey(key))
    return wrong === undefined || { path: [wrong], issue: "is not a label key" }
  })
)

/**
 * Matches a namespace that is one of the names, when any are given, and carries all of the labels, when any are given.
 *
 * **Shape** at least one name or label; names may be empty when labels are given.
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

/** Labels that a cluster's own view of its namespaces proves to be current; `undefined` is no proof, and no match. */
export type ProvenLabels = Readonly<Record<string, string>> | undefined

/**
 * Tells whether a filter reaches a namespace.
 *
 * **Limits** pure; without proven labels only a selector of names alone can match.
 */
export const matches = (filter: NamespaceFilter, name: string, labels: ProvenLabels): boolean =>
  filter._tag === "All" || filter.selectors.some((selector) => selects(selector, name, labels))

/** Tells whether a filter reads labels, so that its clusters must keep proving them. */
export const needsLabels = (filter: NamespaceFilter): boolean =>
  filter._tag === "AnyOf" && filter.selectors.some((selector) => selector.labelSelector !== undefined)

/**
 * Tells whether one selector lies inside another: whatever it matches, the other matches too.
 *
 * **Shape** names a subset where the other names any, labels a superset.
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
