/**
 * `quarterdeck key rotate`: replaces a key by a new one with the same rule.
 */
import { ApiKey, CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as Print from "../print/Print.ts"
import * as MadeKey from "./MadeKey.ts"

export const keyRotateCommand = Command.make(
  "rotate",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("Id of the key, as key list prints it; default: the current key"),
      Argument.optional
    ),
    grace: Flag.String("grace").pipe(
      Flag.withMetavar("24h|7d"),
      Flag.withDescription("How long the old key stays valid: hours or days, at most 30d; default: it ends at once"),
      Flag.map((text) => ({ grace: text })),
      Flag.withDefault({})
    ),
    expire: MadeKey.expireFlag("the expiry of the old key"),
    ...MadeKey.madeFlags,
    url: Connection.urlFlag
  },
  Effect.fn("key rotate")(function* ({ expire, grace, id, output, url }) {
    const connection = yield* Connection.read(url)
    const rotated = yield* Option.match(id, {
      onNone: () =>
        Effect.map(ApiClient.call(connection, ApiKey, { method: "GET", path: "/api/v1/whoami" }), ({ id }) => id),
      onSome: Effect.succeed
    })
    const made = yield* ApiClient.call(connection, CreatedApiKey, {
      method: "POST",
      path: `/api/v1/apiKeys/${encodeURIComponent(rotated)}/rotate`,
      body: { ...grace, ...expire },
      flags: { grace: "--grace", expire: "--expire" }
    })
    yield* MadeKey.print(made, output, `rotated ${rotated}: created ${made.apiKey.id}`)
    const hint = Option.isNone(id) ? "; set QUARTERDECK_API_KEY to the new key" : ""
    yield* Print.note(`${rotated} ${"grace" in grace ? `ends after ${grace.grace}` : "has ended"}${hint}`)
  })
).pipe(
  Command.withDescription(
    "Create a key with the name, description, rule and client addresses of another key, print it once, and end the old key after the grace period. Every key may rotate itself. An Admin key may rotate keys whose rule is within its own. Keys of the configuration are rotated there."
  ),
  Command.withShortDescription("Replace a key by a new one with the same rule"),
  Command.withExamples([
    {
      command: "quarterdeck key rotate key_3mHk2vQx7TzLb0RfWc9Yda --grace 24h > key.txt",
      description: "Both keys are valid for a day"
    },
    { command: "quarterdeck key rotate", description: "Replace the current key, which stops working immediately" }
  ])
)
