/**
 * People who sign in at an identity provider, and the rule that their groups give them.
 */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Context, type DateTime, Result, Schema } from "effect"
import { type ApiKey, KeyName, withoutUnseen } from "./ApiKey.ts"
import { ownProperties } from "./OwnProperties.ts"
import type { Principal } from "./Principal.ts"
import { Rule } from "./Rule.ts"

/** Somebody whom an identity provider vouches for. `subject` is the provider's own name of them, which never changes. */
export interface Person {
  readonly subject: string
  readonly name: string
  readonly groups: ReadonlyArray<string>
}

/** What the members of a group may do. */
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

/** Reads the rules of groups as the settings write them; a fault names its field, such as `[0].rule.role`. */
export const decodeRules = (input: unknown): Result.Result<ReadonlyArray<GroupRule>, SchemaFault.SchemaFault> =>
  Result.mapError(decodeStrictly(ownProperties(input)), ({ issue }) => SchemaFault.fromIssue(issue))

/** The rules of groups, from the settings: none lets nobody in. */
export const GroupRules = Context.Reference<ReadonlyArray<GroupRule>>("@quarterdeck/keys/Person/GroupRules", {
  defaultValue: () => []
})

/**
 * Gives a person's rule: that of the first entry whose group is one of theirs.
 *
 * **Shape** the order of the settings decides, so that who is in several groups has one rule that can be read off.
 */
export const ruleOf = (rules: ReadonlyArray<GroupRule>, { groups }: Person): Rule | undefined => {
  const own = new Set(groups)
  return rules.find(({ group }) => own.has(group))?.rule
}

const PREFIX = "oidc:"

/** Names a person in replies, in the audit and as the maker of keys. No key's id begins like it. */
export const idOf = ({ subject }: Pick<Person, "subject">): string => `${PREFIX}${subject}`

/** Checks whether the id of a caller names a person. */
export const isIdOfPerson = (id: string): boolean => id.startsWith(PREFIX)

/** Makes a name that a key could have of what a provider calls somebody; the subject where it is none. */
export const nameOf = (claimed: unknown, subject: string): string => {
  const text = typeof claimed === "string" ? claimed.trim() : ""
  return Schema.is(KeyName)(text) ? text : Array.from(withoutUnseen(subject)).slice(0, 128).join("")
}

/** Makes the caller that a person is. */
export const principalOf = (person: Person, rule: Rule, signedInAt: DateTime.Utc): Principal["Service"] => ({
  keyId: idOf(person),
  name: person.name,
  rule,
  source: "configured",
  signedInAt
})

/** Shows a person as `whoami` shows keys; `undefined` for a caller that is a key. */
export const view = ({ keyId, name, rule, signedInAt }: Principal["Service"]): ApiKey | undefined =>
  signedInAt === undefined
    ? undefined
    : { id: keyId, name, rule, status: "active", source: "configured", createdAt: signedInAt }
