/**
 * Prints a new key.
 */
import { ApiKey, type CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { DateTime, Effect, Redacted, Schema } from "effect"
import { Flag } from "effect/cli"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

export const madeFlags = {
  output: Flag.Literals("output", ["text", "json"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("text: only the key; json: the whole reply"),
    Flag.withDefault("text")
  )
}

export const expireFlag = (defaultExpiry: string) =>
  Flag.String("expire").pipe(
    Flag.withMetavar("30d|1y|RFC 3339"),
    Flag.withDescription(
      `Expiry of the key: days, years, or an instant such as 2030-01-31T12:00:00Z; default: ${defaultExpiry}`
    ),
    Flag.map((text) => ({ expire: text })),
    Flag.withDefault({})
  )

/** Prints the key to standard output, and `what`, its role and expiry to standard error. */
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
  yield* Print.note(`${what}, ${apiKey.rule.role}, ${end}; the key is shown only once`)
})
