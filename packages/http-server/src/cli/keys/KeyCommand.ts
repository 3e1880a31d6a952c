/**
 * `quarterdeck key`: creates, lists, changes and revokes API keys.
 */
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import { keyGenerateCommand } from "./KeyGenerateCommand.ts"
import { keyHashCommand } from "./KeyHashCommand.ts"
import * as KeyFacts from "./KeyFacts.ts"
import * as KeyList from "./KeyList.ts"
import { keyRevokeCommand } from "./KeyRevokeCommand.ts"
import { keyRotateCommand } from "./KeyRotateCommand.ts"
import { keyUpdateCommand } from "./KeyUpdateCommand.ts"
import * as MadeKey from "./MadeKey.ts"
import * as KeyRule from "./KeyRule.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as NamedClusters from "./NamedClusters.ts"
import * as RuleNamespaces from "./RuleNamespaces.ts"
import { listFlag } from "../print/OutputFlag.ts"
import * as Print from "../print/Print.ts"

const create = Command.make(
  "create",
  {
    name: KeyFacts.nameFlag("Name of the key"),
    ...KeyFacts.factFlags({
      description: "default: none",
      allowFrom: "default: those of the current key"
    }),
    ...KeyRule.ruleFlags,
    expire: MadeKey.expireFlag("never"),
    ...MadeKey.madeFlags,
    url: Connection.urlFlag
  },
  Effect.fn("key create")(function* ({ allowFrom, description, expire, name, output, url, ...flags }) {
    const connection = yield* Connection.read(url)
    const rule = yield* KeyRule.read(flags)
    const facts = yield* KeyFacts.read({ allowFrom, description })
    const created = yield* ApiClient.call(connection, CreatedApiKey, {
      method: "POST",
      path: "/api/v1/apiKeys",
      body: { name, rule, ...facts, ...expire },
      flags: { ...KeyFacts.MEMBERS, expire: "--expire" }
    })
    yield* MadeKey.print(created, output, `created ${created.apiKey.id}`)
    const listed = yield* Effect.cached(NamedClusters.registered(connection))
    yield* NamedClusters.note(listed, created.apiKey.rule)
    yield* RuleNamespaces.note(connection, listed, created.apiKey.rule)
  })
).pipe(
  Command.withDescription(
    "Create a key and print it. The key is shown only once. Its rule must be within the rule of the current key."
  ),
  Command.withShortDescription("Create a key and print it once"),
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
    {
      command:
        "quarterdeck key create --name ci --role Operator --description 'deploys the shop' --allow-from 203.0.113.0/24,2001:db8::/32",
      description: "Valid only from these addresses"
    },
    { command: "quarterdeck key create --name audit --rule rule.yaml -o json" },
    {
      command: "quarterdeck key create --name ci --role Viewer > key.txt",
      description: "Standard output has only the key"
    }
  ])
)

const list = Command.make(
  "list",
  {
    ...KeyList.filterFlags,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("key list")(function* ({ output, url, ...flags }) {
    const connection = yield* Connection.read(url)
    const { apiKeys, rest } = yield* KeyList.read(connection, KeyList.filterOf(flags))
    const whole = yield* Effect.orDie(Schema.encodeEffect(ApiKeyList)({ apiKeys }))
    yield* Print.list(output, Columns.keys, apiKeys, whole)
    yield* ListFlags.noteRest(KeyList.MAX_KEYS, rest)
  })
).pipe(
  Command.withDescription("List the keys whose rule is within the rule of the current key, without their secrets."),
  Command.withShortDescription("List keys, without their secrets"),
  Command.withExamples([
    { command: "quarterdeck key list" },
    {
      command: "quarterdeck key list --created-by key_3mHk2vQx7TzLb0RfWc9Yda",
      description: "Keys that one key created"
    },
    { command: "quarterdeck key list -o csv > keys.csv", description: "For a spreadsheet" }
  ])
)

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Create, list, change and revoke API keys."),
  Command.withShortDescription("Create, list, change and revoke API keys"),
  Command.withSubcommands([
    create,
    list,
    keyUpdateCommand,
    keyRotateCommand,
    keyRevokeCommand,
    keyGenerateCommand,
    keyHashCommand
  ]),
  Command.withExamples([
    { command: "quarterdeck key create --name ci --role Viewer --expire 90d" },
    { command: "quarterdeck key list" }
  ])
)
