/**
 * The name, description and client addresses of a key, as flags of `key create` and `key update`.
 */
import { AllowFrom } from "@quarterdeck/keys/AllowFrom"
import { Description, KeyName, MAX_DESCRIPTION, MAX_NAME } from "@quarterdeck/keys/ApiKey"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Option, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"

/** Makes the `--name` flag. */
export const nameFlag = (description: string) =>
  Flag.String("name").pipe(
    Flag.withDescription(description),
    Flag.filter(Schema.is(KeyName), () => `1 to ${MAX_NAME} characters, without control or format characters`)
  )

/** Makes the `--description` and `--allow-from` flags. */
export const factFlags = (whenLeftOut: { readonly description: string; readonly allowFrom: string }) => ({
  description: Flag.String("description").pipe(
    Flag.withDescription(`Purpose of the key, at most ${MAX_DESCRIPTION} characters; ${whenLeftOut.description}`),
    Flag.filter(
      Schema.is(Description),
      () => `at most ${MAX_DESCRIPTION} characters, without control or format characters`
    ),
    Flag.optional
  ),
  allowFrom: Flag.String("allow-from").pipe(
    Flag.withMetavar("CIDR,..."),
    Flag.withDescription(
      `Client addresses that may use the key, as CIDR ranges joined by commas; ${whenLeftOut.allowFrom}`
    ),
    Flag.optional
  )
})

/** The given flags. */
export interface FactFlags {
  readonly description: Option.Option<string>
  readonly allowFrom: Option.Option<string>
}

const decodeAllowFrom = Schema.decodeUnknownResult(AllowFrom)

/**
 * Makes the body's fields from the flags.
 *
 * **Errors** `CommandFailure` with exit code 2 for an invalid address range.
 */
export const read = Effect.fnUntraced(function* ({ allowFrom, description }: FactFlags) {
  const described = Option.match(description, { onNone: () => ({}), onSome: (text) => ({ description: text }) })
  if (Option.isNone(allowFrom)) return described
  const decoded = decodeAllowFrom(allowFrom.value.split(",").map((range) => range.trim()))
  if (Result.isSuccess(decoded)) return { ...described, allowFrom: decoded.success }
  const { field, problem } = SchemaFault.fromIssue(decoded.failure.issue)
  const index = /^\[([0-9]+)\]$/.exec(field)?.[1]
  return yield* misused(`--allow-from${index === undefined ? "" : `, range ${Number(index) + 1}`}: ${problem}`)
})

/** The flag of each field of the body. */
export const MEMBERS = { name: "--name", description: "--description", allowFrom: "--allow-from" } as const
