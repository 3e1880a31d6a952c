/** Reads protobuf messages by their shapes. Skips fields that the shape does not contain. */
import { Result } from "effect"
import { isUtf8 } from "node:buffer"
import type { Field, Shape } from "./ProtobufShape.ts"

/** Fields of a message, in the form of the API's JSON. */
export type Message = Readonly<Record<string, unknown>>

/**
 * A position in bytes.
 *
 * **Shape** after a problem, `at` is greater than any length, so that nothing more is read.
 */
export interface Cursor {
  readonly bytes: Buffer
  at: number
  problem: string | undefined
}

type Found = Record<string, unknown>
type LongField = Exclude<Field, { readonly type: "integer" | "flag" }>

const VARINT = 0
const FIXED_64 = 1
const LENGTH = 2
const FIXED_32 = 5
const LONGEST_VARINT = 10
const LARGEST_TAG = 2 ** 32 - 1
const REPLACEMENT = "\ufffd"
/** The years 0 to 9999, which RFC 3339 can represent. **Units** seconds since the epoch. */
const FIRST_SECOND = -62_167_219_200
const LAST_SECOND = 253_402_300_799

export const begin = (bytes: Buffer): Cursor => ({ bytes, at: 0, problem: undefined })

/** Reads one whole message. **Errors** invalid bytes, or a field of another type than the shape's. */
export const read = (bytes: Buffer, shape: Shape): Result.Result<Message, string> => {
  const cursor = begin(bytes)
  const found: Found = {}
  readFields(cursor, bytes.length, shape, found)
  return ended(cursor, found)
}

/**
 * Reads the next field of a message. **Shape** empty if the shape does not contain the field. **Errors** the same as
 * {@link read}.
 */
export const next = (cursor: Cursor, shape: Shape): Result.Result<Message, string> => {
  const found: Found = {}
  readField(cursor, cursor.bytes.length, shape, found)
  return ended(cursor, found)
}

const ended = ({ problem }: Cursor, found: Message): Result.Result<Message, string> =>
  problem === undefined ? Result.succeed(found) : Result.fail(`the answer is not protobuf: ${problem}`)

const fail = (cursor: Cursor, problem: string): number => {
  cursor.problem ??= problem
  cursor.at = Number.MAX_SAFE_INTEGER
  return 0
}

const readFields = (cursor: Cursor, end: number, shape: Shape, into: Found): void => {
  while (cursor.at < end) readField(cursor, end, shape, into)
}

const readField = (cursor: Cursor, end: number, shape: Shape, into: Found): void => {
  const tag = varint(cursor, end)
  if (tag < 8 || tag > LARGEST_TAG) {
    fail(cursor, "a field has no number")
    return
  }
  const wireType = tag & 7
  const field = shape[tag >>> 3]
  if (field === undefined) skip(cursor, end, wireType)
  else if (field.type === "integer" || field.type === "flag") {
    const value = wireType === VARINT ? varint(cursor, end) : misfit(cursor)
    if (value !== 0 || !field.omitsZero) into[field.name] = field.type === "flag" ? value !== 0 : value
  } else if (wireType === LENGTH) readLong(cursor, lengthEnd(cursor, end), field, into)
  else misfit(cursor)
}

const misfit = (cursor: Cursor): number => fail(cursor, "a field has an unexpected type")

/** Reads a length-delimited field. */
const readLong = (cursor: Cursor, end: number, field: LongField, into: Found): void => {
  switch (field.type) {
    case "text": {
      const value = text(cursor, end)
      if (value !== "" || !field.omitsZero) into[field.name] = value
      return
    }
    case "message": {
      if (into[field.name] !== undefined) fail(cursor, "a field occurs twice")
      readFields(cursor, end, field.shape, (into[field.name] = {}))
      return
    }
    case "messages": {
      const element: Found = {}
      readFields(cursor, end, field.shape, element)
      const known = into[field.name]
      if (Array.isArray(known)) known.push(element)
      else into[field.name] = [element]
      return
    }
    case "inline":
      readFields(cursor, end, field.shape, into)
      return
    case "map": {
      const [key, value] = entry(cursor, end, field.values)
      const known = into[field.name]
      if (isFound(known)) known[key] = value
      else into[field.name] = { [key]: value }
      return
    }
    case "time": {
      const value = time(cursor, end)
      if (value !== undefined) into[field.name] = value
      return
    }
    case "bytes":
      into[field.name] = cursor.bytes.subarray(cursor.at, end)
      cursor.at = end
  }
}

const isFound = (value: unknown): value is Found => typeof value === "object" && value !== null

/** Reads a signed number of 64 bits. Rounds numbers beyond 2^53, which no field in use contains. */
const varint = (cursor: Cursor, end: number): number => {
  const { bytes } = cursor
  let low = 0
  let high = 0
  for (let place = 0; place < LONGEST_VARINT && cursor.at < end; place++) {
    const byte = bytes[cursor.at++] ?? 0
    const bits = byte & 0x7f
    if (place < 4) low |= bits << (7 * place)
    else if (place === 4) {
      low |= bits << 28
      high = bits >>> 4
    } else high |= bits << (7 * place - 32)
    if (byte < 0x80) return high * 2 ** 32 + (low >>> 0)
  }
  return fail(cursor, "a number has no end")
}

const lengthEnd = (cursor: Cursor, end: number): number => {
  const length = varint(cursor, end)
  if (length >= 0 && length <= end - cursor.at) return cursor.at + length
  return fail(cursor, "a field is longer than its message")
}

const skip = (cursor: Cursor, end: number, wireType: number): void => {
  if (wireType === VARINT) varint(cursor, end)
  else if (wireType === LENGTH) cursor.at = Math.max(cursor.at, lengthEnd(cursor, end))
  else if (wireType === FIXED_32 && end - cursor.at >= 4) cursor.at += 4
  else if (wireType === FIXED_64 && end - cursor.at >= 8) cursor.at += 8
  else fail(cursor, "a field has no end")
}

const text = (cursor: Cursor, end: number): string => {
  const from = cursor.at
  const value = cursor.bytes.toString("utf8", from, end)
  if (value.includes(REPLACEMENT) && !isUtf8(cursor.bytes.subarray(from, end))) fail(cursor, "a text is not UTF-8")
  else cursor.at = Math.max(from, end)
  return value
}

const entry = (cursor: Cursor, end: number, values: "texts" | "quantities"): readonly [key: string, value: string] => {
  const shape = values === "texts" ? TEXT_ENTRY : QUANTITY_ENTRY
  const found: Found = {}
  readFields(cursor, end, shape, found)
  const { key, value } = found
  return [typeof key === "string" ? key : "", typeof value === "string" ? value : ""]
}

/**
 * Reads a time in whole seconds, as in the API's JSON. Returns `undefined` for Go's zero time, which is an empty
 * message.
 */
const time = (cursor: Cursor, end: number): string | undefined => {
  if (cursor.at === end) return undefined
  const found: Found = {}
  readFields(cursor, end, TIME, found)
  const { seconds } = found
  const at = typeof seconds === "number" ? seconds : 0
  if (at >= FIRST_SECOND && at <= LAST_SECOND) return `${new Date(at * 1_000).toISOString().slice(0, 19)}Z`
  fail(cursor, "a time is outside the years 0 to 9999")
  return undefined
}

const key: Field = { type: "text", name: "key", omitsZero: false }
const value: Field = { type: "text", name: "value", omitsZero: false }
const TEXT_ENTRY: Shape = [undefined, key, value]
const QUANTITY_ENTRY: Shape = [undefined, key, { type: "inline", shape: [undefined, value] }]
const TIME: Shape = [undefined, { type: "integer", name: "seconds", omitsZero: false }]
