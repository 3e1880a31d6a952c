/**
 * `quarterdeck key update`: renames or describes a key, or narrows its rule or its client addresses.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { misused } from "../print/CommandFailure.ts"
import * as Connection from "../request/Connection.ts"
import * as Print from "../print/Print.ts"
import * as KeyFacts from "./KeyFacts.ts"
import * as KeyRule from "./KeyRule.ts"
import * as NamedClusters from "./NamedClusters.ts"
import * as RuleNamespaces from "./RuleNamespaces.ts"

export const keyUpdateCommand = Command.make(
  "update",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key, as key list prints it")),
    name: KeyFacts.nameFlag("New name of the key").pipe(Flag.optional),
    ...KeyFacts.factFlags({
      description: "'' removes the description",
      allowFrom: "within the present ranges; default: unchanged"
    }),
    ...KeyRule.ruleFlags,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Narrow even the last Admin key without a scope"),
      Flag.withDefault(false)
    ),
    url: Connection.urlFlag
  },
  Effect.fn("key update")(function* ({ allowFrom, description, force, id, name, url, ...flags }) {
    const connection = yield* Connection.read(url)
    const path = `/api/v1/apiKeys/${encodeURIComponent(id)}`
    const changesRule = KeyRule.isGiven(flags)
    const facts = yield* KeyFacts.read({ allowFrom, description })
    if (!changesRule && Option.isNone(name) && Object.keys(facts).length === 0) {
      return yield* misused(
        "nothing to change: give --name, --description, --allow-from, or flags that narrow the rule"
      )
    }
    const present = ApiClient.call(connection, ApiKey, { method: "GET", path })
    const rule = changesRule ? { rule: yield* KeyRule.narrow(flags, present) } : {}
    const changed = yield* ApiClient.call(connection, ApiKey, {
      method: "PATCH",
      path,
      query: force ? [["force", "true"]] : [],
      body: { ...Option.match(name, { onNone: () => ({}), onSome: (text) => ({ name: text }) }), ...facts, ...rule },
      flags: KeyFacts.MEMBERS
    })
    yield* Print.note(`changed ${changed.id}: ${changed.name}, ${changed.rule.role}`)
    const isGiven = (flag: "clusters" | "namespaces") => Option.isSome(flags[flag]) || Option.isSome(flags.rule)
    const listed = yield* Effect.cached(NamedClusters.registered(connection))
    if (isGiven("clusters")) yield* NamedClusters.note(listed, changed.rule)
    if (isGiven("namespaces")) yield* RuleNamespaces.note(connection, listed, changed.rule)
  })
).pipe(
  Command.withDescription(
    "Rename or describe a key, or narrow its rule or its client addresses. Parts without a flag stay unchanged. A rule cannot be widened: create another key for that."
  ),
  Command.withShortDescription("Rename a key, or narrow its rule"),
  Command.withExamples([
    { command: "quarterdeck key update key_3mHk2vQx7TzLb0RfWc9Yda --name 'ci of the shop'" },
    {
      command: "quarterdeck key update key_3mHk2vQx7TzLb0RfWc9Yda --role Viewer --clusters stage",
      description: "The key can then only read one cluster"
    }
  ])
)
