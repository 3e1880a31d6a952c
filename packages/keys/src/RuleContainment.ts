/**
 * Containment of rules. A caller can only create or narrow keys whose rule lies within the caller's own rule.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Rule from "./Rule.ts"

/**
 * Checks whether the outer rule permits everything that the inner rule permits.
 *
 * **Shape** the inner role is not higher, the inner clusters are a subset, and each inner selector lies within one outer
 * selector. An omitted field lies only within an omitted field. The relation is reflexive and transitive. It is
 * conservative: two outer selectors that cover an inner selector together do not suffice.
 *
 * **Limits** pure; time is at most the product of the numbers of namespace names of both rules.
 */
export const isWithin = (inner: Rule.Rule, outer: Rule.Rule): boolean =>
  Rule.includesRole(outer.role, inner.role) && clustersWithin(inner, outer) && namespacesWithin(inner, outer)

const clustersWithin = (inner: Rule.Rule, outer: Rule.Rule): boolean => {
  if (outer.targetClusters === undefined) return true
  if (inner.targetClusters === undefined) return false
  const reached = new Set(outer.targetClusters)
  return inner.targetClusters.every((cluster) => reached.has(cluster))
}

const namespacesWithin = (inner: Rule.Rule, outer: Rule.Rule): boolean => {
  const selectors = outer.targetNamespaces
  if (selectors === undefined) return true
  if (inner.targetNamespaces === undefined) return false
  return inner.targetNamespaces.every((one) => selectors.some((other) => NamespaceFilter.isWithin(one, other)))
}
