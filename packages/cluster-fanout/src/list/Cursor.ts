/**
 * Remembers where a page of a merged list ended, in a text that only this service can write.
 *
 * A cursor names the last row's place in the order, not a row count: rows that come and go between two pages neither
 * repeat nor hide the others. It is signed together with what it belongs to, so that it opens for nothing else.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Layer, Redacted, Result } from "effect"
import { CursorInvalid } from "./ListError.ts"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** The key that signs cursors. **Shape** at least 32 bytes; replicas that share their clients share the key. */
export class CursorKey extends Context.Service<CursorKey, Redacted.Redacted<Uint8Array>>()(
  "@quarterdeck/cluster-fanout/Cursor/CursorKey"
) {
  /** A key for this process alone: cursors end with it. */
  static readonly layerRandom = Layer.sync(CursorKey, () => Redacted.make(new Uint8Array(randomBytes(32))))
}

/** A cursor that is longer was not made here. */
const MAX_CHARACTERS = 4_096

/** Writes the cursor behind a row. **Shape** base64url of the place and of its signature, joined by `.`. */
export const seal = (key: Redacted.Redacted<Uint8Array>, binding: string, position: Position): string => {
  const payload = Buffer.from(JSON.stringify(position)).toString("base64url")
  return `${payload}.${sign(key, binding, payload).toString("base64url")}`
}

/**
 * Reads a cursor back.
 *
 * **Errors** `CursorInvalid`, which does not tell what is wrong: changed, foreign, or for another list.
 */
export const open = <Row>(
  key: Redacted.Redacted<Uint8Array>,
  binding: string,
  order: RowOrder<Row>,
  cursor: string
): Result.Result<Position, CursorInvalid> => {
  const [payload, signature, ...more] = cursor.length > MAX_CHARACTERS ? [] : cursor.split(".")
  if (payload === undefined || signature === undefined || more.length > 0) return refuse()
  const expected = sign(key, binding, payload)
  const given = Buffer.from(signature, "base64url")
  // Compared again as text, since decoding is lenient and one cursor should have one spelling.
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isGenuine || given.toString("base64url") !== signature) return refuse()
  const position: unknown = JSON.parse(Buffer.from(payload, "base64url").toString())
  return Array.isArray(position) && order.isPosition(position) ? Result.succeed(position) : refuse()
}

const refuse = (): Result.Result<never, CursorInvalid> => Result.fail(new CursorInvalid())

/** The binding is free text: its length keeps it apart from the payload. */
const sign = (key: Redacted.Redacted<Uint8Array>, binding: string, payload: string): Buffer =>
  createHmac("sha256", secretOf(key))
    .update(`${Buffer.byteLength(binding)}:${binding}:${payload}`)
    .digest()

const secrets = new WeakMap<Redacted.Redacted<Uint8Array>, KeyObject>()

/** Prepares a key once: Node takes five times as long for each signature by plain bytes. */
const secretOf = (key: Redacted.Redacted<Uint8Array>): KeyObject => {
  const known = secrets.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(Redacted.value(key))
  secrets.set(key, made)
  return made
}
