/** Decodes JSON from API servers: objects, lists, watch events. */
import { Result } from "effect"
import { isAscii } from "node:buffer"
import type { KubeObject } from "./KubeObject.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isMap = (value: unknown): boolean => {
  if (value === undefined) return true
  if (!isFields(value)) return false
  for (const name in value) if (typeof value[name] !== "string") return false
  return true
}

const isText = (value: unknown): boolean => value === undefined || isShort(value)

/** Longest name, uid, version or instant that an API server writes. **Units** characters. */
const LONGEST_TEXT = 253

const isShort = (value: unknown): value is string => typeof value === "string" && value.length <= LONGEST_TEXT

/** API servers do not limit the length of owner names in an object. */
const isShortOwner = (owner: unknown): boolean =>
  !isFields(owner) || (!isLong(owner["name"]) && !isLong(owner["kind"]) && !isLong(owner["apiVersion"]))

const isLong = (value: unknown): boolean => typeof value === "string" && value.length > LONGEST_TEXT

const isOwner = (value: unknown): boolean =>
  isFields(value) && ["apiVersion", "kind", "name", "uid"].every((field) => typeof value[field] === "string")

/** Checks only the fields that the program reads without further checks, because this runs for every object. */
const isKubeObject = (value: unknown): value is KubeObject => {
  if (!isFields(value) || !isFields(value["metadata"])) return false
  const {
    annotations,
    creationTimestamp,
    deletionTimestamp,
    labels,
    name,
    namespace,
    ownerReferences,
    resourceVersion,
    uid
  } = value["metadata"]
  return (
    isShort(name)
    && isShort(uid)
    && isShort(resourceVersion)
    && isText(namespace)
    && isText(creationTimestamp)
    && isText(deletionTimestamp)
    && isMap(labels)
    && isMap(annotations)
    && (ownerReferences === undefined || (Array.isArray(ownerReferences) && ownerReferences.every(isOwner)))
  )
}

/**
 * Adds fields that computed objects lack (uid, resource version), such as those of `metrics.k8s.io`. Removes null
 * fields, and owners with names longer than an object can have. Most objects are returned unchanged.
 */
const normalized = (value: unknown): unknown => {
  if (!isFields(value) || !isFields(value["metadata"])) return value
  const { metadata } = value
  const owners = metadata["ownerReferences"]
  const hasLongOwner = Array.isArray(owners) && !owners.every(isShortOwner)
  if ("uid" in metadata && "resourceVersion" in metadata && !hasLongOwner && !hasNull(metadata)) return value
  const present = Object.fromEntries(Object.entries(metadata).filter(([, field]) => field !== null))
  const known = hasLongOwner ? { ...present, ownerReferences: owners.filter(isShortOwner) } : present
  return { ...value, metadata: { uid: "", resourceVersion: "", ...known } }
}

const hasNull = (fields: Fields): boolean => {
  for (const name in fields) if (fields[name] === null) return true
  return false
}

/** Parses JSON. ASCII, as in most objects, decodes faster as Latin-1. */
export const parseJson = (bytes: Buffer): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(bytes.toString(isAscii(bytes) ? "latin1" : "utf8")),
    catch: () => "the answer is not JSON"
  })

/** Decodes one object. */
export const toObject = (value: unknown): Result.Result<KubeObject, string> => {
  const object = normalized(value)
  return isKubeObject(object) ? Result.succeed(object) : Result.fail("the answer is not a Kubernetes object")
}

export interface ListPage {
  readonly items: ReadonlyArray<KubeObject>
  readonly resourceVersion: string
  /** Absent on the last page. */
  readonly continueToken?: string
}

/** Decodes one page of a list. */
export const toPage = (value: unknown): Result.Result<ListPage, string> => {
  if (!isFields(value) || !isFields(value["metadata"])) return Result.fail("the answer is not a list")
  const raw = value["items"] ?? []
  if (!Array.isArray(raw)) return Result.fail("the answer is not a list")
  const { continue: token, resourceVersion } = value["metadata"]
  return Result.map(Result.all(raw.map(toObject)), (items) => ({
    items,
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    ...(typeof token === "string" && token !== "" && { continueToken: token })
  }))
}

export type WireEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endsInitial: boolean }
  | { readonly type: "ERROR"; readonly status: unknown }

const INITIAL_EVENTS_END = "k8s.io/initial-events-end"

/** Decodes one line of a watch. **Shape** `undefined` for unknown types, which a newer server may send. */
export const toEvent = (value: unknown): Result.Result<WireEvent | undefined, string> => {
  if (!isFields(value) || !isFields(value["object"])) return Result.fail("a line of the watch is not an event")
  const { object, type } = value
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return Result.map(toObject(object), (read) => ({ type, object: read }))
    case "ERROR":
      return Result.succeed({ type, status: object })
    case "BOOKMARK": {
      const metadata = isFields(object["metadata"]) ? object["metadata"] : {}
      const { annotations, resourceVersion } = metadata
      if (typeof resourceVersion !== "string") return Result.fail("a bookmark has no resource version")
      return Result.succeed({
        type,
        resourceVersion,
        endsInitial: isFields(annotations) && annotations[INITIAL_EVENTS_END] === "true"
      })
    }
    default:
      return Result.succeed(undefined)
  }
}
