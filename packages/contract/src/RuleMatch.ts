/**
 * The namespaces that a rule reaches, for clients that preview a rule before they create a key.
 */
import type { NamespaceRow } from "@quarterdeck/cluster-fanout/Row"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"

/** The fields of a namespace that decide whether a rule reaches it. */
export type NamespaceFacts = Pick<NamespaceRow, "cluster" | "name" | "labels">

/**
 * Returns true if a rule reaches a namespace. The server decides with the same functions.
 *
 * **Limits** pure. The result is as current as the labels.
 */
export const includes = (rule: Rule.Rule, { cluster, labels, name }: NamespaceFacts): boolean =>
  (rule.targetClusters === undefined || rule.targetClusters.includes(cluster))
  && NamespaceFilter.matches(Rule.namespaceFilter(rule), name, labels)
