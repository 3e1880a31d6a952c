/**
 * What a key is called, is for and may be used from, as flags of the commands that make and change keys.
 */
import { AllowFrom } from "@quarterdeck/keys/AllowFrom"
import { Description, KeyName, MAX_DESCRIPTION, MAX_NAME } from "@quarterdeck/keys/ApiKey"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Option, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"

/** Makes the flag of a name. */
export const nameFlag = (description: string) =>
  Flag.String("name").pipe(
    Flag.withDescription(description),
    Flag.filter(Schema.is(KeyName), () => `1 to ${MAX_NAME} characters, without control or format characters`)
  )

/** Makes the flags of a description and of client addresses. */
export const factFlags = (whenLeftOut: { readonly description: string; readonly allowFrom: string }) => ({
  description: Flag.String("description").pipe(
    Flag.withDescription(`What the key is for, at most ${MAX_DESCRIPTION} characters; ${whenLeftOut.description}`),
    Flag.filter(
      Schema.is(Description),
      () => `at most ${MAX_DESCRIPTION} characters, without control or format characters`
    ),
    Flag.optional
  ),
  allowFrom: Flag.String("allow-from").pipe(
    Flag.withMetavar("CIDR,..."),
    Flag.withDescription(
      `Client addresses that the key may be used from, as ranges joined by a comma; ${whenLeftOut.allowFrom}`
    ),
    Flag.optional
  )
})

/** The flags as they were given. */
export interface FactFlags {
  readonly description: Option.Option<string>
  readonly allowFrom: Option.Option<string>
}

const decodeAllowFrom = Schema.decodeUnknownResult(AllowFrom)

/**
 * Reads the members of a body that the flags give.
 *
 * **Errors** `CommandFailure`, exit code 2, for addresses that are no ranges.
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

/** The flags that give members of a body, for what the server refuses. */
export const MEMBERS = { name: "--name", description: "--description", allowFrom: "--allow-from" } as const
