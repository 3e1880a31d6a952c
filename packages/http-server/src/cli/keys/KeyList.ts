/**
 * The keys that a server lists, as the commands on keys read them.
 */
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { Status } from "@quarterdeck/keys/ApiKey"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import type * as Connection from "../request/Connection.ts"
import * as Pages from "../request/Pages.ts"

/** More keys than any deployment has; keeps the walk over the pages finite. */
export const MAX_KEYS = 1_000_000

export const filterFlags = {
  createdBy: Flag.String("created-by").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Keys that this key made"),
    Flag.optional
  ),
  name: Flag.String("name").pipe(Flag.withDescription("Keys whose name holds this text"), Flag.optional),
  status: Flag.Literals("status", Status.literals).pipe(Flag.withDescription("Keys of this status"), Flag.optional)
}

type Filter = ReadonlyArray<readonly [string, string]>

export const filterOf = (flags: Command.Command.Config.Infer<typeof filterFlags>): Filter =>
  (["createdBy", "name", "status"] as const).flatMap((field) =>
    Option.match(flags[field], { onNone: () => [], onSome: (value) => [[field, value] as const] })
  )

/** Reads all pages. **Errors** `CommandFailure`. */
export const read = Effect.fnUntraced(function* (connection: Connection.Connection, filter: Filter) {
  const { pages, rest } = yield* Pages.read(
    MAX_KEYS,
    (query) =>
      ApiClient.call(connection, ApiKeyList, {
        method: "GET",
        path: "/api/v1/apiKeys",
        query: [...filter, ...query],
        flags: { createdBy: "--created-by", name: "--name", status: "--status" }
      }),
    (page) => page.apiKeys
  )
  return { apiKeys: pages.flatMap((page) => page.apiKeys), rest }
})
