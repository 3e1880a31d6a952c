/**
 * A key that a call has just made, as the commands print it: once.
 */
import { ApiKey, type CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { Flag } from "effect/cli"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

export const madeFlags = {
  output: Flag.Literals("output", ["text", "json"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("text: the key alone; json: the whole reply"),
    Flag.withDefault("text")
  )
}

export const expireFlag = (whatWhenLeftOut: string) =>
  Flag.String("expire").pipe(
    Flag.withMetavar("30d|1y|RFC 3339"),
    Flag.withDescription(
      `When the key ends: days, years, or an instant such as 2030-01-31T12:00:00Z; ${whatWhenLeftOut} when left out`
    ),
    Flag.map((text) => ({ expire: text })),
    Flag.withDefault({})
  )

/** Prints the key alone on standard output, so that it can be sent where it is needed, and what it is on standard error. */
export const print = Effect.fnUntraced(function* (
  { apiKey, key: secret }: CreatedApiKey,
  output: "text" | "json",
  what: string
) {
  const key = Redacted.value(secret)
  if (output === "json") {
    return yield* Print.output(Output.json({ key, apiKey: yield* Effect.orDie(Schema.encodeEffect(ApiKey)(apiKey)) }))
  }
  yield* Print.output(`${key}\n`)
  const end = apiKey.expiresAt === undefined ? "never expires" : `expires ${DateTime.formatIso(apiKey.expiresAt)}`
  yield* Print.note(`${what}, ${apiKey.rule.role}, ${end}; the key is shown this once`)
})
