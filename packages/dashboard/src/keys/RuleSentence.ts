/**
 * Prints what a key may do as one sentence.
 */
import type { ApiKey, Role, Rule, Selector } from "../api/Shapes.ts"
import { labelsOf } from "./KeyDraft.ts"

const VERBS: Readonly<Record<Role, string>> = {
  Viewer: "May read",
  Operator: "May read and operate",
  Admin: "May read, operate and manage keys"
}

/** Maximum number of names of one kind in the sentence. */
const MAX_NAMES = 5

const listOf = (names: ReadonlyArray<string>, joint = ", "): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(joint)} and ${names.length - MAX_NAMES} more`
    : names.join(joint)

const clustersOf = ({ targetClusters }: Rule): string =>
  targetClusters === undefined
    ? "in every cluster"
    : `in ${targetClusters.length === 1 ? "cluster" : "clusters"} ${listOf(targetClusters)}`

/** Prints one selection of namespaces. **Example** `namespaces shop, payments labelled team=storefront` */
const selectionOf = (selector: Selector): string => {
  const { namespaceNames } = selector
  const labels = labelsOf(selector)
  const named =
    namespaceNames.length === 0
      ? "namespaces"
      : `${namespaceNames.length === 1 ? "namespace" : "namespaces"} ${listOf(namespaceNames)}`
  return labels.length === 0 ? named : `${named} labelled ${listOf(labels)}`
}

const namespacesOf = ({ targetNamespaces }: Rule): string =>
  targetNamespaces === undefined ? "in every namespace" : `only in ${listOf(targetNamespaces.map(selectionOf), " or ")}`

/**
 * Prints the rule and the addresses of a key.
 *
 * **Example** `May read and operate in cluster eu, only in namespace shop, only from 10.0.0.0/8.`
 */
export const print = ({ allowFrom, rule }: Pick<ApiKey, "allowFrom" | "rule">): string => {
  const from = allowFrom === undefined ? "from any address" : `only from ${listOf(allowFrom)}`
  return `${VERBS[rule.role]} ${clustersOf(rule)}, ${namespacesOf(rule)}, ${from}.`
}
