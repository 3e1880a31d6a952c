/**
 * Which namespaces a rule reaches, for clients that show it before a key is made.
 */
import type { NamespaceRow } from "@quarterdeck/cluster-fanout/Row"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"

/** What a client reads of a namespace. */
export type NamespaceFacts = Pick<NamespaceRow, "cluster" | "name" | "labels">

/**
 * Tells whether a rule reaches a namespace, by the functions that the server decides with.
 *
 * **Limits** pure; it is as current as the labels that it is given.
 */
export const includes = (rule: Rule.Rule, { cluster, labels, name }: NamespaceFacts): boolean =>
  (rule.targetClusters === undefined || rule.targetClusters.includes(cluster))
  && NamespaceFilter.matches(Rule.namespaceFilter(rule), name, labels)
