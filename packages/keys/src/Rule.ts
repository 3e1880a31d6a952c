/**
 * The rule of a key: a role, and a scope of clusters and namespaces.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { Result, Schema } from "effect"
import { ownProperties } from "./OwnProperties.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"

/** Limits of one rule. They bound the cost of comparing two rules. */
export const MAX_CLUSTERS = 1_000
export const MAX_SELECTORS = 64
/** Maximum number of namespace names over all selectors of a rule. */
export const MAX_NAMESPACE_NAMES = 500
/** Maximum number of labels per selector. */
export const MAX_LABELS = 32

/** Roles, from the least to the most powerful. */
const ROLES = ["Viewer", "Operator", "Admin"] as const

export const Role = Schema.Literals(ROLES)
export type Role = typeof Role.Type

const Selector = NamespaceFilter.NamespaceSelector.check(
  Schema.makeFilter(
    (selector) =>
      Object.keys(selector.labelSelector?.matchLabels ?? {}).length <= MAX_LABELS || {
        path: ["labelSelector", "matchLabels"],
        issue: `at most ${MAX_LABELS} labels`
      }
  )
)

const TargetNamespaces = Schema.Array(Selector).check(
  Schema.isMinLength(1, { expected: "at least one selector; leave the field out to reach every namespace" }),
  Schema.isMaxLength(MAX_SELECTORS, { expected: `at most ${MAX_SELECTORS} selectors` }),
  Schema.makeFilter(
    (selectors) =>
      selectors.reduce((count, { namespaceNames }) => count + namespaceNames.length, 0) <= MAX_NAMESPACE_NAMES
      || `at most ${MAX_NAMESPACE_NAMES} namespace names in all selectors together; select by label instead`
  )
)

const TargetClusters = Schema.Array(ClusterName.ClusterName).check(
  Schema.isMinLength(1, { expected: "at least one cluster name; leave the field out to reach every cluster" }),
  Schema.isMaxLength(MAX_CLUSTERS, { expected: `at most ${MAX_CLUSTERS} cluster names` })
)

/**
 * The rule of a key.
 *
 * **Shape** an omitted scope field means all. A present field can only narrow, so `null`, `[]` and `{}` are refused.
 * Decode with {@link decode}, or with `onExcessProperty: "error"`: a misspelt field must not mean "all".
 *
 * **Limits** {@link MAX_CLUSTERS}, {@link MAX_SELECTORS}, {@link MAX_NAMESPACE_NAMES}, {@link MAX_LABELS}.
 */
export const Rule = Schema.Struct({
  role: Role,
  targetNamespaces: Schema.optionalKey(TargetNamespaces),
  targetClusters: Schema.optionalKey(TargetClusters)
}).annotate({ identifier: "Rule" })
export type Rule = typeof Rule.Type

/** A rule is invalid. The message names the field, without its value, which may be hostile. */
export class InvalidRule extends Schema.TaggedError<InvalidRule>()("InvalidRule", {
  /** Path such as `targetNamespaces[0].namespaceNames`; empty for the rule as a whole. */
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `rule${this.field === "" ? "" : `.${this.field}`}: ${this.problem}`
  }
}

const decodeStrictly = Schema.decodeUnknownResult(Rule, { onExcessProperty: "error" })

/**
 * Decodes a rule from an untrusted value.
 *
 * **Shape** inherited properties of the value are ignored.
 *
 * **Errors** `InvalidRule` with the path of the first invalid field.
 *
 * **Example**
 *
 * ```ts
 * decode({ role: "Viewer", targetCluster: ["prod"] }) // InvalidRule: rule.targetCluster: is not known here; allowed: role, …
 * ```
 */
export const decode = (input: unknown): Result.Result<Rule, InvalidRule> =>
  Result.mapError(decodeStrictly(ownProperties(input)), ({ issue }) => {
    const { field, problem } = SchemaFault.fromIssue(issue)
    return new InvalidRule({ field, problem })
  })

/** Returns the clusters that a rule reaches. */
export const clusterScope = (rule: Rule): Target.ClusterScope =>
  rule.targetClusters === undefined ? Target.everyCluster : Target.onlyClusters(rule.targetClusters)

/** Returns the namespaces that a rule reaches, in each of its clusters. */
export const namespaceFilter = (rule: Rule): NamespaceFilter.NamespaceFilter =>
  rule.targetNamespaces === undefined ? NamespaceFilter.everyNamespace : NamespaceFilter.anyOf(rule.targetNamespaces)

/** Checks whether a rule has no scope field and so reaches every cluster and namespace. */
export const isUnscoped = (rule: Rule): boolean =>
  rule.targetClusters === undefined && rule.targetNamespaces === undefined

/** Checks whether a role includes the permissions of another role. */
export const includesRole = (role: Role, other: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(other)
