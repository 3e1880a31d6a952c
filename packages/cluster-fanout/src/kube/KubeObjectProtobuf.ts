/** Decodes protobuf from API servers: lists and watch events of the kinds with a known shape. */
import { Result } from "effect"
import type { KubeObject, Resource } from "./KubeObject.ts"
import { type ListPage, toEvent, toObject, toPage, type WireEvent } from "./KubeObjectJson.ts"
import * as KubeShapes from "./KubeShapes.ts"
import type { ListItems } from "./ListItems.ts"
import * as protobufReader from "./ProtobufReader.ts"
import type { Shape } from "./ProtobufShape.ts"

/** Wrapper of an answer, or of an object in a watch. */
interface Envelope {
  readonly type: string
  readonly raw: Buffer
}

const envelope = (bytes: Buffer): Result.Result<Envelope, string> => {
  const { length } = KubeShapes.MAGIC
  if (!KubeShapes.MAGIC.equals(bytes.subarray(0, length))) return Result.fail("the answer is not Kubernetes protobuf")
  return Result.flatMap(protobufReader.read(bytes.subarray(length), KubeShapes.UNKNOWN), toEnvelope)
}

const toEnvelope = ({ contentEncoding, raw, typeMeta }: protobufReader.Message): Result.Result<Envelope, string> => {
  if (contentEncoding !== undefined) return Result.fail("the answer is protobuf with an unsupported content encoding")
  if (!Buffer.isBuffer(raw)) return Result.fail("the answer is not protobuf: it has no message")
  return Result.succeed({ type: typeOf(typeMeta), raw })
}

const typeOf = (typeMeta: unknown): string => {
  const { apiVersion, kind } = typeof typeMeta === "object" && typeMeta !== null ? { ...NO_TYPE, ...typeMeta } : NO_TYPE
  return `${String(apiVersion)}/${String(kind)}`
}

const NO_TYPE: { readonly apiVersion: unknown; readonly kind: unknown } = { apiVersion: "", kind: "" }

/** Returns whether the wrapped message is of the expected kind. Other kinds would be decoded wrongly. */
const isOf = ({ type }: Envelope, resource: Resource, suffix = ""): boolean =>
  type === `${KubeShapes.apiVersion(resource)}/${resource.kind}${suffix}`

const objectOf = (raw: Buffer, shape: Shape): Result.Result<KubeObject, string> =>
  Result.flatMap(protobufReader.read(raw, shape), toObject)

/**
 * Starts to decode a page, item by item.
 *
 * **Shape** the result equals that of the same page in JSON, limited to the fields of the shape.
 */
export const readPage = (body: Buffer, resource: Resource, shape: Shape): ListItems => {
  const items: Array<KubeObject> = []
  let metadata: unknown = {}
  let page: Result.Result<ListPage, string> = Result.fail("the list was not read to its end")
  let cursor: protobufReader.Cursor | undefined

  const end = (last: Result.Result<ListPage, string>) => {
    page = last
    return false
  }

  const start = (): boolean => {
    const list = envelope(body)
    if (Result.isFailure(list)) return end(Result.fail(list.failure))
    if (!isOf(list.success, resource, "List")) return end(Result.fail(`the answer is not a list of ${resource.plural}`))
    cursor = protobufReader.begin(list.success.raw)
    return true
  }

  const step = (): boolean => {
    if (cursor === undefined) return start()
    if (cursor.at >= cursor.bytes.length) {
      return end(Result.map(toPage({ metadata, items: [] }), (last) => ({ ...last, items })))
    }
    const field = protobufReader.next(cursor, KubeShapes.LIST)
    if (Result.isFailure(field)) return end(Result.fail(field.failure))
    const { item, metadata: listMetadata } = field.success
    if (listMetadata !== undefined) metadata = listMetadata
    if (!Buffer.isBuffer(item)) return true
    const object = objectOf(item, shape)
    if (Result.isFailure(object)) return end(Result.fail(object.failure))
    items.push(object.success)
    return true
  }

  return { step, page: () => page }
}

/** Decodes one frame of a watch. **Shape** as `toEvent` for JSON. */
export const readEvent = (
  frame: Buffer,
  resource: Resource,
  shape: Shape
): Result.Result<WireEvent | undefined, string> =>
  Result.flatMap(protobufReader.read(frame, KubeShapes.WATCH_EVENT), ({ object, type }) =>
    Result.flatMap(envelope(rawOf(object)), (wrapped) => eventOf(type, wrapped, resource, shape))
  )

const eventOf = (
  type: unknown,
  wrapped: Envelope,
  resource: Resource,
  shape: Shape
): Result.Result<WireEvent | undefined, string> => {
  if (type === "ERROR") {
    if (wrapped.type !== "v1/Status") return Result.fail("an error of the watch is not a Status")
    return Result.flatMap(protobufReader.read(wrapped.raw, KubeShapes.STATUS), (status) =>
      toEvent({ type, object: { kind: "Status", ...status } })
    )
  }
  if (!isOf(wrapped, resource)) return Result.fail(`an event of the watch is not of ${resource.plural}`)
  return Result.flatMap(protobufReader.read(wrapped.raw, type === "BOOKMARK" ? KubeShapes.BOOKMARK : shape), (object) =>
    toEvent({ type, object })
  )
}

const rawOf = (object: unknown): Buffer =>
  typeof object === "object" && object !== null && "raw" in object && Buffer.isBuffer(object.raw)
    ? object.raw
    : Buffer.alloc(0)
