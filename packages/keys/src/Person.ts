/**
 * People who sign in at an identity provider, and the rules of their groups.
 */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Context, type DateTime, Result, Schema } from "effect"
import { type ApiKey, KeyName, withoutUnseen } from "./ApiKey.ts"
import { ownProperties } from "./OwnProperties.ts"
import type { Principal } from "./Principal.ts"
import { Rule } from "./Rule.ts"

/** A person whom an identity provider has authenticated. `subject` is the provider's identifier, which never changes. */
export interface Person {
  readonly subject: string
  readonly name: string
  readonly groups: ReadonlyArray<string>
}

/** The rule of the members of a group. */
export const GroupRule = Schema.Struct({
  group: Schema.String.check(Schema.isMinLength(1, { expected: "the name of a group" })),
  rule: Rule
})
export type GroupRule = typeof GroupRule.Type

const GroupRuleList = Schema.Array(GroupRule).check(
  Schema.isMinLength(1, { expected: "at least one group" }),
  Schema.isMaxLength(1_000, { expected: "at most 1000 groups" }),
  Schema.makeFilter((list) => new Set(list.map(({ group }) => group)).size === list.length || "each group once")
)
const decodeStrictly = Schema.decodeUnknownResult(GroupRuleList, { onExcessProperty: "error" })

/** Decodes the group rules of the settings. **Errors** `SchemaFault` with the path of the field, such as `[0].rule.role`. */
export const decodeRules = (input: unknown): Result.Result<ReadonlyArray<GroupRule>, SchemaFault.SchemaFault> =>
  Result.mapError(decodeStrictly(ownProperties(input)), ({ issue }) => SchemaFault.fromIssue(issue))

/** The group rules of the settings. If the list is empty, no person can sign in. */
export const GroupRules = Context.Reference<ReadonlyArray<GroupRule>>("@quarterdeck/keys/Person/GroupRules", {
  defaultValue: () => []
})

/**
 * Returns a person's rule: the rule of the first entry that names one of the person's groups.
 *
 * **Shape** a person in several groups has exactly one rule, which the order of the settings decides.
 */
export const ruleOf = (rules: ReadonlyArray<GroupRule>, { groups }: Person): Rule | undefined => {
  const own = new Set(groups)
  return rules.find(({ group }) => own.has(group))?.rule
}

const PREFIX = "oidc:"

/** Returns the id of a person in replies, in the audit and as the maker of keys. No key id starts with `oidc:`. */
export const idOf = ({ subject }: Pick<Person, "subject">): string => `${PREFIX}${subject}`

/** Checks whether the id of a caller names a person. */
export const isIdOfPerson = (id: string): boolean => id.startsWith(PREFIX)

/** Returns the claimed name if it is a valid key name, otherwise a valid name made from the subject. */
export const nameOf = (claimed: unknown, subject: string): string => {
  const text = typeof claimed === "string" ? claimed.trim() : ""
  return Schema.is(KeyName)(text) ? text : Array.from(withoutUnseen(subject)).slice(0, 128).join("")
}

/** Returns the principal of a signed-in person. */
export const principalOf = (person: Person, rule: Rule, signedInAt: DateTime.Utc): Principal["Service"] => ({
  keyId: idOf(person),
  name: person.name,
  rule,
  source: "configured",
  signedInAt
})

/**
 * Returns a signed-in person in the form in which `whoami` returns a key. Returns `undefined` if the caller is a key.
 */
export const view = ({ keyId, name, rule, signedInAt }: Principal["Service"]): ApiKey | undefined =>
  signedInAt === undefined
    ? undefined
    : { id: keyId, name, rule, status: "active", source: "configured", createdAt: signedInAt }
