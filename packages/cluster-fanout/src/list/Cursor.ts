/**
 * Records where a page of a merged list ended, in signed text that only this service can write.
 *
 * A cursor contains the last row's sort keys, not a row count. Rows added or deleted between two pages therefore
 * neither repeat nor hide other rows. The signature covers the list, key, filter and order, so a cursor is valid only
 * with the same ones.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Layer, Redacted, Result } from "effect"
import { CursorInvalid } from "./ListError.ts"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** The key that signs cursors. **Shape** at least 32 bytes. Replicas that serve the same clients share the key. */
export class CursorKey extends Context.Service<CursorKey, Redacted.Redacted<Uint8Array>>()(
  "@quarterdeck/cluster-fanout/Cursor/CursorKey"
) {
  /** Makes a random key for this process. Its cursors become invalid when the process ends. */
  static readonly layerRandom = Layer.sync(CursorKey, () => Redacted.make(new Uint8Array(randomBytes(32))))
}

/** Upper bound on the length of a cursor made here. */
const MAX_CHARACTERS = 4_096

/** Makes the cursor that follows a row. **Shape** base64url of the position and of its signature, joined by `.`. */
export const seal = (key: Redacted.Redacted<Uint8Array>, binding: string, position: Position): string => {
  const payload = Buffer.from(JSON.stringify(position)).toString("base64url")
  return `${payload}.${sign(key, binding, payload).toString("base64url")}`
}

/**
 * Verifies a cursor and decodes its position.
 *
 * **Errors** `CursorInvalid` if the cursor was changed, was signed with another key or belongs to another list. The
 * error does not say which.
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
  const presented = Buffer.from(signature, "base64url")
  // Base64url decoding is lenient, so compare the text too: each cursor has one spelling.
  const isGenuine = presented.length === expected.length && timingSafeEqual(presented, expected)
  if (!isGenuine || presented.toString("base64url") !== signature) return refuse()
  const position: unknown = JSON.parse(Buffer.from(payload, "base64url").toString())
  return Array.isArray(position) && order.isPosition(position) ? Result.succeed(position) : refuse()
}

const refuse = (): Result.Result<never, CursorInvalid> => Result.fail(new CursorInvalid())

/** Prefixes the binding with its length, so that free text in the binding cannot run into the payload. */
const sign = (key: Redacted.Redacted<Uint8Array>, binding: string, payload: string): Buffer =>
  createHmac("sha256", secretOf(key))
    .update(`${Buffer.byteLength(binding)}:${binding}:${payload}`)
    .digest()

const secrets = new WeakMap<Redacted.Redacted<Uint8Array>, KeyObject>()

/** Converts a key once: Node signs five times slower with plain bytes than with a `KeyObject`. */
const secretOf = (key: Redacted.Redacted<Uint8Array>): KeyObject => {
  const known = secrets.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(Redacted.value(key))
  secrets.set(key, made)
  return made
}
