/**
 * Objects in the protobuf form of Kubernetes, read into the JSON form that everything else here knows.
 *
 * **Shape** only the kinds of {@link ProtobufKinds}, and of these only the fields that are listed: an object with any
 * other is refused as a whole, for half of it would be another object.
 *
 * **Source** "Protocol Buffers: Encoding"; Kubernetes, "API concepts: Protobuf encoding".
 */
import { Result } from "effect"
import { isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as ProtobufKinds from "./ProtobufKinds.ts"

export const MEDIA_TYPE = "application/vnd.kubernetes.protobuf"

/** Comes before every object in this form. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** Decodes an object into its JSON form. **Errors** why the bytes are no object that can be read here, in words. */
export const decode = (bytes: Buffer): Result.Result<JsonObject, string> => {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return Result.fail("the body has no prefix of the protobuf form")
  return Result.try({
    try: () => {
      const envelope = fieldsOf(bytes.subarray(MAGIC.length))
      const type = fieldsOf(envelope.find(({ number }) => number === 1)?.bytes ?? Buffer.alloc(0))
      const kind = type.find(({ number }) => number === 2)?.bytes.toString() ?? ""
      const apiVersion = type.find(({ number }) => number === 1)?.bytes.toString() ?? ""
      const raw = envelope.find(({ number }) => number === 2)?.bytes ?? Buffer.alloc(0)
      return { kind, apiVersion, ...message(kind, raw) }
    },
    catch: (cause) => (cause instanceof Unreadable ? cause.message : "the body breaks off")
  })
}

/** Only ever thrown and caught in this module: reading goes many levels deep. */
class Unreadable extends Error {}

interface Part {
  readonly number: number
  /** The value of a number; 0 for anything else. */
  readonly value: bigint
  readonly bytes: Buffer
}

const VARINT = 0
const LENGTH = 2

const fieldsOf = (bytes: Buffer): ReadonlyArray<Part> => {
  const found: Array<Part> = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes.readUInt8(at)
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Unreadable("a number is longer than any")
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = tag >>> 3
    if ((tag & 7) === VARINT) {
      found.push({ number, value: varint(), bytes: Buffer.alloc(0) })
    } else if ((tag & 7) === LENGTH) {
      const length = Number(varint())
      if (at + length > bytes.length) throw new Unreadable("the body breaks off")
      found.push({ number, value: 0n, bytes: bytes.subarray(at, at + length) })
      at += length
    } else {
      throw new Unreadable(`no kind of Kubernetes has a field of wire type ${tag & 7}`)
    }
  }
  return found
}

const message = (name: string, bytes: Buffer): JsonObject => {
  const known = ProtobufKinds.find(name)
  if (known === undefined) throw new Unreadable(`${name} is not read in protobuf here`)
  const object = new Map<string, Json>()
  for (const part of fieldsOf(bytes)) {
    const field = known.get(part.number)
    if (field === undefined) throw new Unreadable(`field ${part.number} of ${name} is not read in protobuf here`)
    if (field.type === "-") continue
    if (MAPS.has(field.type)) {
      const before = object.get(field.name)
      object.set(field.name, { ...(isObject(before) ? before : {}), ...entry(field.type, part.bytes) })
      continue
    }
    const value = single(field.type, part)
    if (field.many) {
      const before = object.get(field.name)
      object.set(field.name, [...(isArray(before) ? before : []), value])
    } else if (field.kept || !isNothing(value)) object.set(field.name, value)
  }
  return Object.fromEntries(object)
}

/** What is written although nobody has set it. */
const isNothing = (value: Json): boolean =>
  value === "" || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0)

const single = (type: string, part: Part): Json => {
  switch (type) {
    case "text":
      return part.bytes.toString()
    case "int":
      return Number(BigInt.asIntN(64, part.value))
    case "bool":
      return part.value !== 0n
    case "union":
      return union(part.bytes)
    default:
      return message(type, part.bytes)
  }
}

/** A number or a text, whichever its first field says. */
const union = (bytes: Buffer): Json => {
  const parts = fieldsOf(bytes)
  const of = (number: number) => parts.find((part) => part.number === number)
  return of(1)?.value === 1n ? (of(3)?.bytes.toString() ?? "") : Number(BigInt.asIntN(32, of(2)?.value ?? 0n))
}

const MAPS = new Set(["map", "bytes", "amounts"])

const entry = (type: string, bytes: Buffer): JsonObject => {
  const parts = fieldsOf(bytes)
  const key = parts.find(({ number }) => number === 1)?.bytes.toString() ?? ""
  const value = parts.find(({ number }) => number === 2)?.bytes ?? Buffer.alloc(0)
  if (type === "map") return { [key]: value.toString() }
  if (type === "bytes") return { [key]: value.toString("base64") }
  return {
    [key]:
      fieldsOf(value)
        .find(({ number }) => number === 1)
        ?.bytes.toString() ?? ""
  }
}
