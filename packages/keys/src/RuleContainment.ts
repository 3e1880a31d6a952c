/**
 * Whether what one rule permits lies inside what another does: so no key that is made, or narrowed, reaches beyond its maker.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Rule from "./Rule.ts"

/**
 * Tells whether one rule lies inside another: whatever it permits, the other permits too.
 *
 * **Shape** its role is not higher, its clusters are a subset, and each of its selectors lies inside one of the
 * other's; an omitted field lies only inside an omitted field. Reflexive and transitive. A selector that only several
 * of the other's cover together is not inside: the answer errs towards no.
 *
 * **Limits** pure; at worst the product of both rules' namespace names.
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
