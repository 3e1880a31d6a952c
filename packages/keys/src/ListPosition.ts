/**
 * A keyset cursor: a position in the list of keys, as text.
 *
 * The list has deploy-time keys first, by name and id, then created keys, oldest first. A position contains the sort key of
 * the preceding entry, so it stays valid while keys come and go.
 */
import { DateTime, Result, Schema } from "effect"
import { KeyName } from "./ApiKey.ts"
import type { Position } from "./KeyStore.ts"

export type ListPosition =
  | { readonly source: "configured"; readonly after: ConfiguredPosition }
  | { readonly source: "created"; readonly after: Position }

export interface ConfiguredPosition {
  readonly name: string
  readonly id: string
}

const Id = Schema.NonEmptyString.check(Schema.isMaxLength(128))
const Text = Schema.fromJsonString(
  Schema.Union([
    Schema.Tuple([Schema.Literal("configured"), KeyName, Id]),
    Schema.Tuple([Schema.Literal("created"), Schema.Natural.check(Schema.isLessThanOrEqualTo(8.64e15)), Id])
  ])
)
const encodeText = Schema.encodeSync(Text)
const decodeText = Schema.decodeUnknownResult(Text, { onExcessProperty: "error" })

/** Prints a position as base64url without padding. */
export const print = (position: ListPosition): string => {
  const text =
    position.source === "configured"
      ? encodeText(["configured", position.after.name, position.after.id])
      : encodeText(["created", DateTime.toEpochMillis(position.after.createdAt), position.after.id])
  return Buffer.from(text).toString("base64url")
}

/** Parses a position. Returns `undefined` for any text that {@link print} cannot produce. */
export const parse = (text: string): ListPosition | undefined => {
  const read = decodeText(Buffer.from(text, "base64url").toString())
  if (Result.isFailure(read)) return undefined
  const position = fromTuple(read.success)
  return print(position) === text ? position : undefined
}

const fromTuple = (tuple: typeof Text.Type): ListPosition =>
  tuple[0] === "configured"
    ? { source: "configured", after: { name: tuple[1], id: tuple[2] } }
    : { source: "created", after: { createdAt: DateTime.makeUnsafe(tuple[1]), id: tuple[2] } }
