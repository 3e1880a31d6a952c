/**
 * `quarterdeck key`: makes, lists and revokes API keys.
 *
 * @since 0.1.0
 */
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { ApiKey, CreatedApiKey, KeyName } from "@quarterdeck/keys/ApiKey"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../ApiClient.ts"
import * as Columns from "../Columns.ts"
import * as Connection from "../Connection.ts"
import { keyHashCommand } from "./KeyHashCommand.ts"
import * as KeyRule from "./KeyRule.ts"
import * as ListFlags from "../ListFlags.ts"
import * as Output from "../Output.ts"
import { outputFlag } from "../OutputFlag.ts"
import * as Pages from "../Pages.ts"
import * as Print from "../Print.ts"

/** More keys than any deployment has; keeps the walk over the pages finite. */
const MAX_KEYS = 1_000_000

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(
      Flag.withDescription("What people call the key"),
      Flag.filter(Schema.is(KeyName), () => "1 to 128 characters, none of them a control character")
    ),
    ...KeyRule.ruleFlags,
    expire: Flag.String("expire").pipe(
      Flag.withMetavar("30d|1y|RFC 3339"),
      Flag.withDescription(
        "When the key ends: days, years, or an instant such as 2030-01-31T12:00:00Z; never when left out"
      ),
      Flag.map((text) => ({ expire: text })),
      Flag.withDefault({})
    ),
    output: Flag.Literals("output", ["text", "json"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("text: the key alone; json: the whole reply"),
      Flag.withDefault("text")
    ),
    url: Connection.urlFlag
  },
  Effect.fn("key create")(function* ({ expire, name, output, url, ...flags }) {
    const connection = yield* Connection.read(url)
    const rule = yield* KeyRule.read(flags)
    const created = yield* ApiClient.call(connection, CreatedApiKey, {
      method: "POST",
      path: "/api/v1/apiKeys",
      body: { name, rule, ...expire }
    })
    const { apiKey } = created
    const key = Redacted.value(created.key)
    if (output === "json") {
      return yield* Print.output(Output.json({ key, apiKey: yield* Effect.orDie(Schema.encodeEffect(ApiKey)(apiKey)) }))
    }
    yield* Print.output(`${key}\n`)
    const end = apiKey.expiresAt === undefined ? "never expires" : `expires ${DateTime.formatIso(apiKey.expiresAt)}`
    yield* Print.note(`created ${apiKey.id}, ${apiKey.rule.role}, ${end}; the key is shown this once`)
  })
).pipe(
  Command.withDescription(
    "Make a key and print it, once and never again. Its rule must lie inside the rule of the key that asks."
  ),
  Command.withShortDescription("Make a key and print it, once"),
  Command.withExamples([
    { command: "quarterdeck key create --name ci --role Viewer --clusters prod,stage --expire 90d" },
    {
      command: "quarterdeck key create --name web-team --role Operator --namespaces web,api",
      description: "Reaches two namespaces in every cluster"
    },
    {
      command: "quarterdeck key create --name web-team --role Operator --namespace-labels team=web",
      description: "Reaches the namespaces that carry a label"
    },
    { command: "quarterdeck key create --name audit --rule rule.yaml -o json" },
    {
      command: "quarterdeck key create --name ci --role Viewer > key.txt",
      description: "Standard output holds the key alone"
    }
  ])
)

const list = Command.make(
  "list",
  { output: outputFlag, url: Connection.urlFlag },
  Effect.fn("key list")(function* ({ output, url }) {
    const connection = yield* Connection.read(url)
    const { pages, rest } = yield* Pages.read(
      MAX_KEYS,
      (query) => ApiClient.call(connection, ApiKeyList, { method: "GET", path: "/api/v1/apiKeys", query }),
      (page) => page.apiKeys
    )
    const apiKeys = pages.flatMap((page) => page.apiKeys)
    const whole = yield* Effect.orDie(Schema.encodeEffect(ApiKeyList)({ apiKeys }))
    yield* Print.rows(output, Columns.keys, apiKeys, whole)
    yield* ListFlags.noteRest(MAX_KEYS, rest)
  })
).pipe(
  Command.withDescription("List the keys whose rule lies inside that of the key that asks, never their secrets."),
  Command.withShortDescription("List keys, without their secrets"),
  Command.withExamples([
    { command: "quarterdeck key list" },
    { command: "quarterdeck key list -o csv > keys.csv", description: "For a spreadsheet" }
  ])
)

const revoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The key's id, as key list prints it")),
    url: Connection.urlFlag
  },
  Effect.fn("key revoke")(function* ({ id, url }) {
    const connection = yield* Connection.read(url)
    yield* ApiClient.run(connection, { method: "DELETE", path: `/api/v1/apiKeys/${encodeURIComponent(id)}` })
    yield* Print.note(`revoked ${id}`)
  })
).pipe(
  Command.withDescription("Revoke a key, for good, from the next request on."),
  Command.withShortDescription("Revoke a key, for good"),
  Command.withExamples([{ command: "quarterdeck key revoke key_3mHk2vQx7TzLb0RfWc9Yda" }])
)

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Make, list and revoke API keys."),
  Command.withShortDescription("Make, list and revoke API keys"),
  Command.withSubcommands([create, list, revoke, keyHashCommand]),
  Command.withExamples([
    { command: "quarterdeck key create --name ci --role Viewer --expire 90d" },
    { command: "quarterdeck key list" }
  ])
)
