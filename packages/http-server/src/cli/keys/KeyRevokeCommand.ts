/**
 * `quarterdeck key revoke`: revokes a key, and with `--children` its descendants.
 */
import { ApiKeyFamily } from "@quarterdeck/contract/ApiKeysGroup"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as Print from "../print/Print.ts"

export const keyRevokeCommand = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key, as key list prints it")),
    children: Flag.Boolean("children").pipe(
      Flag.withDescription(
        "Also revoke all its descendants: keys that it created or was rotated to, and theirs. Revokes all or none; works for a revoked key too"
      ),
      Flag.withDefault(false)
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Revoke even the last Admin key without a scope"),
      Flag.withDefault(false)
    ),
    url: Connection.urlFlag
  },
  Effect.fn("key revoke")(function* ({ children, force, id, url }) {
    const connection = yield* Connection.read(url)
    const request = {
      method: "DELETE",
      path: `/api/v1/apiKeys/${encodeURIComponent(id)}`,
      query: force ? [["force", "true"] as const] : []
    } as const
    if (!children) {
      yield* ApiClient.run(connection, request)
      return yield* Print.note(`revoked ${id}`)
    }
    const { descendants = 0 } = yield* ApiClient.call(connection, ApiKeyFamily, {
      ...request,
      query: [["children", "true"], ...request.query]
    })
    yield* Print.note(
      `revoked ${id} and ${descendants} ${descendants === 1 ? "key that descends" : "keys that descend"} from it`
    )
  })
).pipe(
  Command.withDescription(
    "Revoke a key permanently, from the next request on. Keys that it created stay valid unless --children is given. If a descendant is outside the rule of the current key, no key is revoked. The last valid Admin key without a scope needs --force."
  ),
  Command.withShortDescription("Revoke a key permanently"),
  Command.withExamples([
    { command: "quarterdeck key revoke key_3mHk2vQx7TzLb0RfWc9Yda" },
    {
      command: "quarterdeck key revoke key_3mHk2vQx7TzLb0RfWc9Yda --children",
      description: "With every key that it created"
    }
  ])
)
