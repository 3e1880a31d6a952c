/**
 * `quarterdeck key rotate`: a new secret with the rule of an old one.
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
      Argument.withDescription("The key's id, as key list prints it; the key that asks when left out"),
      Argument.optional
    ),
    grace: Flag.String("grace").pipe(
      Flag.withMetavar("24h|7d"),
      Flag.withDescription("How long the old key lives on: hours or days, 30d at most; it ends at once when left out"),
      Flag.map((text) => ({ grace: text })),
      Flag.withDefault({})
    ),
    expire: MadeKey.expireFlag("when the old one would have"),
    ...MadeKey.madeFlags,
    url: Connection.urlFlag
  },
  Effect.fn("key rotate")(function* ({ expire, grace, id, output, url }) {
    const connection = yield* Connection.read(url)
    const rotated = yield* Option.match(id, {
      onNone: () =>
        Effect.map(ApiClient.call(connection, ApiKey, { method: "GET", path: "/api/v1/whoami" }), (own) => own.id),
      onSome: Effect.succeed
    })
    const made = yield* ApiClient.call(connection, CreatedApiKey, {
      method: "POST",
      path: `/api/v1/apiKeys/${encodeURIComponent(rotated)}/rotate`,
      body: { ...grace, ...expire },
      flags: { grace: "--grace", expire: "--expire" }
    })
    yield* MadeKey.print(made, output, `rotated ${rotated}: made ${made.apiKey.id}`)
    const own = Option.isNone(id) ? ", with which this was asked: set QUARTERDECK_API_KEY to the new one" : ""
    yield* Print.note(`${rotated} ${"grace" in grace ? `ends after ${grace.grace}` : "has ended"}${own}`)
  })
).pipe(
  Command.withDescription(
    "Make a key with the name, description, rule and client addresses of another one, print it once, and end the old one after a grace. A key may rotate itself; an Admin those whose rule lies inside its own. A key of the configuration is rotated there."
  ),
  Command.withShortDescription("Replace a key by one with the same rule"),
  Command.withExamples([
    {
      command: "quarterdeck key rotate key_3mHk2vQx7TzLb0RfWc9Yda --grace 24h > key.txt",
      description: "Both work for a day"
    },
    { command: "quarterdeck key rotate", description: "The key that asks, which ends at once" }
  ])
)
