/**
 * `quarterdeck key revoke`: ends a key, and with it those that it made where that is asked for.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../ApiClient.ts"
import * as Connection from "../Connection.ts"
import * as Print from "../Print.ts"
import * as KeyList from "./KeyList.ts"

const revokeOne = Effect.fnUntraced(function* (connection: Connection.Connection, id: string, force: boolean) {
  yield* ApiClient.run(connection, {
    method: "DELETE",
    path: `/api/v1/apiKeys/${encodeURIComponent(id)}`,
    query: force ? [["force", "true"]] : []
  })
  yield* Print.note(`revoked ${id}`)
})

/**
 * Revokes a key, and all that descend from it.
 *
 * **Shape** each maker before its keys are looked for, so that it makes no more meanwhile; the key that asks is the last.
 *
 * **Limits** one list a key.
 */
const revokeAll = Effect.fnUntraced(function* (connection: Connection.Connection, id: string, force: boolean) {
  const own = (yield* ApiClient.call(connection, ApiKey, { method: "GET", path: "/api/v1/whoami" })).id
  const found = new Map([[id, true]])
  for (const [maker, isWanted] of found) {
    if (isWanted && maker !== own) yield* revokeOne(connection, maker, force)
    const { apiKeys } = yield* KeyList.read(connection, [["createdBy", maker]])
    for (const { id: child, status } of apiKeys) {
      if (!found.has(child)) found.set(child, status === "active" || status === "expiring")
    }
  }
  if (found.has(own)) yield* revokeOne(connection, own, force)
})

export const keyRevokeCommand = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The key's id, as key list prints it")),
    children: Flag.Boolean("children").pipe(
      Flag.withDescription(
        "Revoke the keys that it made too, and those that they made; also of a key that was revoked before"
      ),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Revoke the last Admin of everything, too"),
      Flag.withDefault(false)
    ),
    url: Connection.urlFlag
  },
  Effect.fn("key revoke")(function* ({ children, force, id, url }) {
    const connection = yield* Connection.read(url)
    yield* children ? revokeAll(connection, id, force) : revokeOne(connection, id, force)
  })
).pipe(
  Command.withDescription(
    "Revoke a key, for good, from the next request on. Keys that it made stay valid unless --children is given, which reaches those that the key that asks may list. The last valid Admin without a scope is refused unless --force is given."
  ),
  Command.withShortDescription("Revoke a key, for good"),
  Command.withExamples([
    { command: "quarterdeck key revoke key_3mHk2vQx7TzLb0RfWc9Yda" },
    {
      command: "quarterdeck key revoke key_3mHk2vQx7TzLb0RfWc9Yda --children",
      description: "And every key that it made"
    }
  ])
)
