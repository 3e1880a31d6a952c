/**
 * JSON Patch (RFC 6902) with the real server's semantics.
 *
 * `effect/JsonPatch` cannot replace it: it lacks `test`, `move` and `copy`, and refuses patches that a real server
 * accepts. The real server (`evanphx/json-patch` 4.13) adds a missing key on `replace`, reads a missing key as null,
 * and accepts negative indexes and leading zeros.
 *
 * **Source** RFC 6902 and RFC 6901.
 */
import { Result } from "effect"
import { equals, isArray, isObject, type Json, type JsonArray, type JsonObject, without } from "../core/Json.ts"
import { badRequest, type Failure, type Outcome, unprocessable } from "../core/Status.ts"

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Pointer; readonly value: Json }
  | { readonly op: "remove"; readonly path: Pointer }
  | { readonly op: "move" | "copy"; readonly path: Pointer; readonly from: Pointer }

type Pointer = ReadonlyArray<string>

export type JsonPatch = ReadonlyArray<Operation>

/** Maximum number of operations of a patch. The real server has the same limit. */
export const MAX_OPERATIONS = 10_000

/**
 * Parses a patch.
 *
 * **Errors** 400 if the body is not an array of objects, or if `op`, `path` or `from` is not a string. 413 beyond
 * {@link MAX_OPERATIONS}. 422 for an unknown operation.
 */
export const fromJson = (body: Json): Outcome<JsonPatch> => {
  if (body === null) return Result.succeed([])
  if (!isArray(body)) return undecodable("it must be an array of operations")
  if (body.length > MAX_OPERATIONS) {
    return Result.fail({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `a JSON patch must have at most ${MAX_OPERATIONS} operations, not ${body.length}`
    })
  }
  return Result.flatMap(Result.all(body.map(typedOperation)), (operations) => Result.all(operations.map(operationFrom)))
}

const undecodable = (problem: string) => Result.fail(badRequest(`the body is not a valid JSON patch: ${problem}`))

/** Checks that `op`, `path` and `from` are strings. `value` may be of any type. */
const typedOperation = (json: Json, place: number): Outcome<JsonObject> => {
  if (json === null) return Result.succeed({})
  if (!isObject(json)) return undecodable(`[${place}] must be an object`)
  const field = ["op", "path", "from"].find((name) => typeof (json[name] ?? "") !== "string")
  return field === undefined ? Result.succeed(json) : undecodable(`[${place}].${field} must be a string`)
}

/**
 * Applies the operations in order. If one operation fails, the whole patch fails.
 *
 * **Errors** 422.
 */
export const apply = (document: Json, patch: JsonPatch): Outcome<Json> => {
  let current: Outcome<Json> = Result.succeed(document)
  for (const operation of patch) current = Result.flatMap(current, (json) => step(json, operation))
  return current
}

const mismatch: Result.Result<never, Failure> = Result.fail(unprocessable)

const operationFrom = (json: JsonObject): Outcome<Operation> => {
  const path = pointerFrom(json["path"])
  if (path === undefined) return mismatch
  const op = json["op"]
  if (op === "remove") return Result.succeed({ op, path })
  if (op === "move" || op === "copy") {
    const from = pointerFrom(json["from"])
    return from === undefined ? mismatch : Result.succeed({ op, path, from })
  }
  if (op !== "add" && op !== "replace" && op !== "test") return mismatch
  return Result.succeed({ op, path, value: json["value"] ?? null })
}

/** Parses a pointer. **Shape** text before the first slash is ignored. */
const pointerFrom = (text: Json | undefined): Pointer | undefined => {
  if (text === "") return []
  if (typeof text !== "string" || !text.includes("/")) return undefined
  return text
    .slice(text.indexOf("/") + 1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
}

const step = (document: Json, operation: Operation): Outcome<Json> => {
  switch (operation.op) {
    case "add":
      return change(document, operation.path, (parent, key) => addTo(parent, key, operation.value))
    case "replace":
      if (operation.path.length === 0) return isObject(operation.value) ? Result.succeed(operation.value) : mismatch
      return change(document, operation.path, (parent, key) => replaceIn(parent, key, operation.value))
    case "remove":
      return change(document, operation.path, removeFrom)
    case "test":
      return Result.flatMap(
        operation.path.length === 0 ? Result.succeed(document) : read(document, operation.path),
        (found) => (equals(found, operation.value) ? Result.succeed(document) : mismatch)
      )
    case "copy":
      return Result.flatMap(read(document, operation.from), (value) =>
        step(document, { op: "add", path: operation.path, value })
      )
    case "move":
      return Result.flatMap(read(document, operation.from), (value) =>
        Result.flatMap(step(document, { op: "remove", path: operation.from }), (rest) =>
          step(rest, { op: "add", path: operation.path, value })
        )
      )
  }
}

/** Reads a value. **Shape** a missing key of an object reads as null. The empty pointer is refused. */
const read = (document: Json, pointer: Pointer): Outcome<Json> => {
  const key = pointer.at(-1)
  let parent = document
  for (const step of pointer.slice(0, -1)) {
    const next = child(parent, step)
    if (next === undefined) return mismatch
    parent = next
  }
  if (key === undefined) return mismatch
  const found = child(parent, key)
  if (found !== undefined) return Result.succeed(found)
  return isObject(parent) ? Result.succeed(null) : mismatch
}

const child = (parent: Json, key: string): Json | undefined => {
  if (isArray(parent)) {
    const index = indexIn(parent, key)
    return index === undefined ? undefined : parent[index]
  }
  return isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined
}

/** Applies `edit` to the last container of a pointer, and rebuilds the containers above it. */
const change = (
  document: Json,
  pointer: Pointer,
  edit: (parent: Json, key: string) => Outcome<Json>
): Outcome<Json> => {
  const [key, ...rest] = pointer
  if (key === undefined) return mismatch
  if (rest.length === 0) return edit(document, key)
  const next = child(document, key)
  if (next === undefined) return mismatch
  return Result.flatMap(change(next, rest, edit), (changed) => replaceIn(document, key, changed))
}

const addTo = (parent: Json, key: string, value: Json): Outcome<Json> => {
  if (isObject(parent)) return Result.succeed({ ...parent, [key]: value })
  if (!isArray(parent)) return mismatch
  if (key === "-") return Result.succeed([...parent, value])
  const index = indexIn(parent, key, parent.length + 1)
  return index === undefined ? mismatch : Result.succeed([...parent.slice(0, index), value, ...parent.slice(index)])
}

const replaceIn = (parent: Json, key: string, value: Json): Outcome<Json> => {
  if (isObject(parent)) return Result.succeed({ ...parent, [key]: value })
  const index = isArray(parent) ? indexIn(parent, key) : undefined
  return isArray(parent) && index !== undefined ? Result.succeed(parent.with(index, value)) : mismatch
}

const removeFrom = (parent: Json, key: string): Outcome<Json> => {
  if (isObject(parent)) return Object.hasOwn(parent, key) ? Result.succeed(without(parent, key)) : mismatch
  const index = isArray(parent) ? indexIn(parent, key) : undefined
  return isArray(parent) && index !== undefined ? Result.succeed(parent.toSpliced(index, 1)) : mismatch
}

const INDEX = /^[+-]?[0-9]{1,15}$/

/** Parses an index. **Shape** a negative index counts from the end; -1 in an addition appends. */
const indexIn = (list: JsonArray, key: string, size = list.length): number | undefined => {
  if (!INDEX.test(key)) return undefined
  const index = Number(key)
  if (index >= size || index < -size) return undefined
  return index < 0 ? index + size : Math.abs(index)
}
