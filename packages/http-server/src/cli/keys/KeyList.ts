/**
 * Reads the list of keys.
 */
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { Status } from "@quarterdeck/keys/ApiKey"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import type * as Connection from "../request/Connection.ts"
import * as Pages from "../request/Pages.ts"

/** Limit of the keys to read: more than any deployment has. */
export const MAX_KEYS = 1_000_000

export const filterFlags = {
  createdBy: Flag.String("created-by").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Only keys that this key created"),
    Flag.optional
  ),
  name: Flag.String("name").pipe(Flag.withDescription("Only keys whose name contains this text"), Flag.optional),
  status: Flag.Literals("status", Status.literals).pipe(
    Flag.withDescription("Only keys with this status"),
    Flag.optional
  )
}

type Filter = ReadonlyArray<readonly [string, string]>

export const filterOf = (flags: Command.Command.Config.Infer<typeof filterFlags>): Filter =>
  (["createdBy", "name", "status"] as const).flatMap((field) =>
    Option.match(flags[field], { onNone: () => [], onSome: (value) => [[field, value] as const] })
  )

/** Reads all pages, up to {@link MAX_KEYS} keys. **Errors** `CommandFailure`. */
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
