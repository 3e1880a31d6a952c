/**
 * Who owns which field of an object, as server-side apply needs it.
 *
 * Ownership is kept from an object's first apply on. What other writers set before that belongs to
 * `before-first-apply`, the name that the real server gives it on objects from before its own bookkeeping.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/managedfields`.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { arrayAt, at, type Json, type JsonObject, objectAt, put, textAt, without } from "./Json.ts"
import * as FieldSet from "./FieldSet.ts"
import * as KindSchema from "./KindSchema.ts"
import { apiVersionOf, hasStatus, type Resource } from "./Resource.ts"
import { badRequest, type Failure, type Outcome } from "./Status.ts"

/** One manager's fields. **Shape** `subresource` is empty for the object itself. */
interface Manager {
  readonly name: string
  readonly operation: "Apply" | "Update"
  readonly subresource: string
  readonly apiVersion: string
  readonly time: string
  readonly fields: FieldSet.FieldSet
}

export interface ApplyOptions {
  readonly manager: string
  readonly force: boolean
  readonly subresource: string
  readonly time: string
}

/** What an object has managed by this bookkeeping: everything but its identity and what the server writes. */
const managed = (object: JsonObject): JsonObject => {
  const metadata = without(objectAt(object, "metadata"), ...IDENTITY)
  const body = without(object, "apiVersion", "kind", "metadata")
  return Object.keys(metadata).length === 0 ? body : { metadata, ...body }
}

const IDENTITY = [
  "name",
  "namespace",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink"
]

/**
 * Applies a manager's whole intent to an object, `undefined` for one that does not exist yet.
 *
 * **Shape** fields that the manager applied before and leaves out now are removed, unless somebody else owns them too.
 *
 * **Errors** 409 naming every field of another manager that would change, unless forced.
 */
export const apply = (
  resource: Resource,
  live: JsonObject | undefined,
  intent: JsonObject,
  options: ApplyOptions
): Outcome<JsonObject> => {
  if (at(intent, "metadata", "managedFields") !== undefined)
    return Result.fail(badRequest("metadata.managedFields must be nil"))
  // A status in an apply of the object itself belongs to nobody: only its subresource writes it.
  const applied = options.subresource === "" && hasStatus(resource) ? without(intent, "status") : intent
  const schema = KindSchema.ofResource(resource)
  const set = FieldSet.fromObject(schema, managed(applied))
  const known = live === undefined ? [] : managersOf(resource, live, options.time)
  const isMine = (manager: Manager) =>
    manager.operation === "Apply" && manager.name === options.manager && manager.subresource === options.subresource
  const mine = known.find(isMine)
  const others = known.filter((manager) => !isMine(manager))
  const merged = FieldSet.merge(schema, live ?? {}, without(applied, "apiVersion", "kind"))

  const conflicts = others.flatMap((manager) =>
    FieldSet.paths(FieldSet.intersection(set, manager.fields))
      .filter((path) => !FieldSet.isSame(schema, live, merged, path))
      .map((path) => ({ manager, path }))
  )
  if (conflicts.length > 0 && !options.force) return Result.fail(conflicted(conflicts))

  const taken = FieldSet.fromPaths(conflicts.map(({ path }) => path))
  const rest = others.map((manager) => ({ ...manager, fields: FieldSet.difference(manager.fields, taken) }))
  const dropped = mine === undefined ? FieldSet.empty : FieldSet.difference(mine.fields, set)
  const owned = rest.reduce((all, manager) => FieldSet.union(all, manager.fields), FieldSet.empty)
  const pruned = FieldSet.paths(FieldSet.difference(dropped, owned))
    .toReversed()
    .reduce<JsonObject>((object, path) => FieldSet.removeAt(schema, object, path), merged)
  const unchanged =
    mine !== undefined && FieldSet.isEmpty(FieldSet.difference(set, mine.fields)) && FieldSet.isEmpty(dropped)
  const now: Manager = {
    name: options.manager,
    operation: "Apply",
    subresource: options.subresource,
    apiVersion: apiVersionOf(resource),
    time: unchanged ? mine.time : options.time,
    fields: set
  }
  return Result.succeed(withManagers(pruned, [now, ...rest]))
}

/**
 * Moves the fields that an ordinary write changed to its writer; nothing happens on an object that was never applied.
 */
export const afterUpdate = (
  resource: Resource,
  before: JsonObject,
  after: JsonObject,
  manager: string,
  part: "main" | "status" | "finalize",
  time: string
): JsonObject => {
  if (arrayAt(before, "metadata", "managedFields").length === 0)
    return put(after, ["metadata", "managedFields"], undefined)
  const known = arrayAt(after, "metadata", "managedFields").flatMap(fromEntry)
  if (known.length === 0) return put(after, ["metadata", "managedFields"], undefined)
  const schema = KindSchema.ofResource(resource)
  const old = FieldSet.fromObject(schema, managed(before))
  const now = FieldSet.fromObject(schema, managed(after))
  const written = FieldSet.fromPaths(
    FieldSet.paths(now).filter((path) => !FieldSet.isSame(schema, before, after, path))
  )
  const gone = FieldSet.difference(old, now)
  if (FieldSet.isEmpty(written) && FieldSet.isEmpty(gone)) return after
  const subresource = part === "main" ? "" : part
  const isWriter = (one: Manager) =>
    one.operation === "Update" && one.name === manager && one.subresource === subresource
  const writer = known.find(isWriter)
  const own = FieldSet.difference(FieldSet.union(writer?.fields ?? FieldSet.empty, written), gone)
  const touched = FieldSet.union(written, gone)
  return withManagers(after, [
    ...known
      .filter((one) => !isWriter(one))
      .map((one) => ({ ...one, fields: FieldSet.difference(one.fields, touched) })),
    { name: manager, operation: "Update", subresource, apiVersion: apiVersionOf(resource), time, fields: own }
  ])
}

const managersOf = (resource: Resource, live: JsonObject, time: string): ReadonlyArray<Manager> => {
  const known = arrayAt(live, "metadata", "managedFields").flatMap(fromEntry)
  if (known.length > 0) return known
  return [
    {
      name: "before-first-apply",
      operation: "Update",
      subresource: "",
      apiVersion: apiVersionOf(resource),
      time,
      fields: FieldSet.fromObject(KindSchema.ofResource(resource), without(managed(live), "status"))
    }
  ]
}

const fromEntry = (entry: Json): ReadonlyArray<Manager> => {
  const operation = textAt(entry, "operation")
  if (operation !== "Apply" && operation !== "Update") return []
  return [
    {
      name: textAt(entry, "manager"),
      operation,
      subresource: textAt(entry, "subresource"),
      apiVersion: textAt(entry, "apiVersion"),
      time: textAt(entry, "time"),
      fields: FieldSet.fromV1(objectAt(entry, "fieldsV1"))
    }
  ]
}

const withManagers = (object: JsonObject, managers: ReadonlyArray<Manager>): JsonObject => {
  const entries = managers
    .filter((manager) => !FieldSet.isEmpty(manager.fields))
    .map((manager) => ({
      manager: manager.name,
      operation: manager.operation,
      apiVersion: manager.apiVersion,
      time: manager.time,
      fieldsType: "FieldsV1",
      fieldsV1: FieldSet.toV1(manager.fields),
      ...(manager.subresource === "" ? {} : { subresource: manager.subresource })
    }))
  return put(object, ["metadata", "managedFields"], entries.length === 0 ? undefined : entries)
}

const conflicted = (
  conflicts: ReadonlyArray<{ readonly manager: Manager; readonly path: FieldSet.FieldPath }>
): Failure => {
  const causes = conflicts
    .map(({ manager, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${quoted(manager)}`,
      field: FieldSet.print(path)
    }))
    .toSorted((left, right) => (left.message < right.message ? -1 : left.message > right.message ? 1 : 0))
  const [first] = causes
  const managers = Map.groupBy(causes, (cause) => cause.message)
  const detail =
    causes.length === 1 && first !== undefined
      ? `conflict: ${first.message}: ${first.field}`
      : `conflicts: ${[...managers]
          .map(
            ([message, fields]) =>
              `${message.replace("conflict", "conflicts")}:\n${fields.map((cause) => `- ${cause.field}`).join("\n")}`
          )
          .join("\n")}`
  return {
    code: 409,
    reason: "Conflict",
    message: `Apply failed with ${causes.length} ${detail}`,
    details: { causes }
  }
}

const quoted = (manager: Manager): string => {
  const place = manager.subresource === "" ? "" : ` with subresource ${JSON.stringify(manager.subresource)}`
  return `${JSON.stringify(manager.name)}${place}${manager.operation === "Update" ? ` using ${manager.apiVersion}` : ""}`
}
