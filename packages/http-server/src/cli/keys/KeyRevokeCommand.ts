/**
 * `quarterdeck key revoke`: ends a key, and with `--children` the keys that descend from it.
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
    id: Argument.String("id").pipe(Argument.withDescription("The key's id, as key list prints it")),
    children: Flag.Boolean("children").pipe(
      Flag.withDescription(
        "Revoke every key that descends from it too (those that it made or was rotated to, and so on), all or none; also of a key that was revoked before"
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
    "Revoke a key, for good, from the next request on. Keys that it made stay valid unless --children is given. If a descendant lies outside the rule of the key that asks, no key is revoked. The last valid Admin without a scope is refused unless --force is given."
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
