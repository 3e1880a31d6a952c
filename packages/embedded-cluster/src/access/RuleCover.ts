/**
 * Compares sets of RBAC rules.
 *
 * **Source** Kubernetes 1.36, `k8s.io/component-helpers/auth/rbac/validation` and `pkg/registry/rbac/validation`.
 */
import type { Rule } from "./Authorization.ts"

/**
 * Finds the wanted permissions that the owned rules do not cover.
 *
 * **Shape** each result is one verb on one resource of one group, with one name or all names, or on one path.
 *
 * **Limits** linear in the product of both lists.
 */
export const uncovered = (owned: ReadonlyArray<Rule>, wanted: ReadonlyArray<Rule>): ReadonlyArray<Rule> =>
  wanted.flatMap(permissionsIn).filter((right) => !owned.some((rule) => coversPermission(rule, right)))

/** Prints permissions, grouped by what they apply to: `get, list on pods of ""`. */
export const describe = (rights: ReadonlyArray<Rule>): string => {
  const things = Map.groupBy(rights, ({ groups, names, paths, resources }) => {
    if (paths.length > 0) return paths.join(", ")
    const named = names.length === 0 ? "" : ` named ${names.join(", ")}`
    return `${resources.join(", ")} of ${JSON.stringify(groups.join(", "))}${named}`
  })
  return [...things].map(([thing, same]) => `${same.flatMap(({ verbs }) => verbs).join(", ")} on ${thing}`).join("; ")
}

const NOTHING: Rule = { verbs: [], groups: [], resources: [], names: [], paths: [] }

const permissionsIn = ({ groups, names, paths, resources, verbs }: Rule): ReadonlyArray<Rule> => {
  const places = groups.flatMap((group) => resources.map((resource) => ({ groups: [group], resources: [resource] })))
  const named = names.length === 0 ? [[]] : names.map((name) => [name])
  return [
    ...places.flatMap((place) =>
      verbs.flatMap((verb) => named.map((one) => ({ ...NOTHING, ...place, verbs: [verb], names: one })))
    ),
    ...paths.flatMap((path) => verbs.map((verb) => ({ ...NOTHING, paths: [path], verbs: [verb] })))
  ]
}

const coversPermission = (rule: Rule, right: Rule): boolean =>
  includesAll(rule.verbs, right.verbs)
  && includesAll(rule.groups, right.groups)
  && right.resources.every((resource) => coversResource(rule.resources, resource))
  && (rule.names.length === 0 || (right.names.length > 0 && right.names.every((name) => rule.names.includes(name))))
  && right.paths.every((path) => rule.paths.some((owned) => coversPath(owned, path)))

const includesAll = (owned: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean =>
  owned.includes("*") || wanted.every((one) => owned.includes(one))

const coversResource = (owned: ReadonlyArray<string>, resource: string): boolean => {
  if (owned.includes("*") || owned.includes(resource)) return true
  const slash = resource.indexOf("/")
  return slash >= 0 && owned.includes(`*${resource.slice(slash)}`)
}

const coversPath = (owned: string, path: string): boolean =>
  owned === path || (owned.endsWith("*") && path.startsWith(owned.replace(/\*+$/, "")))
