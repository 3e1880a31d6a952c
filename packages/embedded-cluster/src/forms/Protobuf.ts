/**
 * Decodes objects in Kubernetes' protobuf format to JSON.
 *
 * **Shape** decodes only the kinds of {@link ProtobufKinds}, with the fields listed there. An object with any other
 * field is refused, because dropping the field would change the object.
 *
 * **Source** "Protocol Buffers: Encoding"; Kubernetes, "API concepts: Protobuf encoding".
 */
import { Result } from "effect"
import { isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as ProtobufKinds from "./ProtobufKinds.ts"

export const MEDIA_TYPE = "application/vnd.kubernetes.protobuf"

/** Prefix of every object in this format. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** Decodes an object to JSON. **Errors** the reason why the bytes cannot be decoded, in words. */
export const decode = (bytes: Buffer): Result.Result<JsonObject, string> => {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return Result.fail("the body does not start with the prefix of Kubernetes' protobuf format")
  return Result.try({
    try: () => {
      const envelope = fieldsOf(bytes.subarray(MAGIC.length))
      const type = fieldsOf(envelope.find(({ number }) => number === 1)?.bytes ?? Buffer.alloc(0))
      const kind = type.find(({ number }) => number === 2)?.bytes.toString() ?? ""
      const apiVersion = type.find(({ number }) => number === 1)?.bytes.toString() ?? ""
      const raw = envelope.find(({ number }) => number === 2)?.bytes ?? Buffer.alloc(0)
      return { kind, apiVersion, ...message(kind, raw) }
    },
    catch: (cause) => (cause instanceof Unreadable ? cause.message : "the body is truncated")
  })
}

/** A decoding error. It is thrown and caught only in this module, because decoding recurses deeply. */
class Unreadable extends Error {}

interface Part {
  readonly number: number
  /** Value of a varint; 0 for other wire types. */
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
    throw new Unreadable("a varint has more than 10 bytes")
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const number = tag >>> 3
    if ((tag & 7) === VARINT) {
      found.push({ number, value: varint(), bytes: Buffer.alloc(0) })
    } else if ((tag & 7) === LENGTH) {
      const length = Number(varint())
      if (at + length > bytes.length) throw new Unreadable("the body is truncated")
      found.push({ number, value: 0n, bytes: bytes.subarray(at, at + length) })
      at += length
    } else {
      throw new Unreadable(`protobuf wire type ${tag & 7} is not supported ${tag & 7}`)
    }
  }
  return found
}

const message = (name: string, bytes: Buffer): JsonObject => {
  const known = ProtobufKinds.find(name)
  if (known === undefined) throw new Unreadable(`${name} is not supported in protobuf; send JSON`)
  const object = new Map<string, Json>()
  for (const part of fieldsOf(bytes)) {
    const field = known.get(part.number)
    if (field === undefined)
      throw new Unreadable(`field ${part.number} of ${name} is not supported in protobuf; send JSON`)
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
    } else if (field.kept || !isDefault(value)) object.set(field.name, value)
  }
  return Object.fromEntries(object)
}

/** Returns whether a value equals the default that encoders write for an unset field. */
const isDefault = (value: Json): boolean =>
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

/** Decodes an IntOrString. Its first field selects the type. */
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
