/**
 * Field ownership for server-side apply, in `metadata.managedFields`.
 *
 * Ownership is recorded from an object's first apply. Earlier values belong to the manager `before-first-apply`, the
 * real server's name for them.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/managedfields`.
 */
import { Result } from "effect"
import { arrayAt, at, type Json, type JsonObject, objectAt, put, textAt, without, withoutNulls } from "../core/Json.ts"
import { apiVersionOf, hasStatus, type Resource } from "../core/Resource.ts"
import { badRequest, type Failure, type Outcome } from "../core/Status.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import * as FieldSet from "./FieldSet.ts"
import * as FieldValues from "./FieldValues.ts"

/** Fields that one manager owns. **Shape** `subresource` is empty for the object itself. */
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

/**
 * Part of an object whose ownership is recorded: everything but its identity and fields that only the server writes.
 */
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
 * Applies a manager's configuration to an object, or to `undefined` if the object does not exist yet.
 *
 * **Shape** fields that the manager's last apply had and this one omits are removed, unless another manager owns them
 * too.
 *
 * **Errors** 409 with every field of another manager that would change, unless `force` is set.
 */
export const apply = (
  resource: Resource,
  live: JsonObject | undefined,
  intent: JsonObject,
  options: ApplyOptions
): Outcome<JsonObject> => {
  if (at(intent, "metadata", "managedFields") !== undefined)
    return Result.fail(badRequest("metadata.managedFields must not be set"))
  const applied = covered(resource, intent, options.subresource)
  const schema = KindSchema.ofResource(resource)
  const set = FieldSet.fromObject(schema, managed(applied))
  const known = live === undefined ? [] : managersOf(resource, live, options.time)
  const isMine = (manager: Manager) =>
    manager.operation === "Apply" && manager.name === options.manager && manager.subresource === options.subresource
  const mine = known.find(isMine)
  const others = known.filter((manager) => !isMine(manager))
  const merged = FieldValues.merge(schema, live ?? {}, without(applied, "apiVersion", "kind"))

  const changed = FieldValues.changed(schema, live ?? {}, merged)
  const conflicts = others.flatMap((manager) =>
    FieldSet.paths(FieldSet.intersection(manager.fields, changed)).map((path) => ({ manager, path }))
  )
  if (conflicts.length > 0 && !options.force) return Result.fail(conflicted(conflicts))

  const named = FieldSet.fromObject(schema, applied)
  const owned = others.reduce((all, manager) => FieldSet.union(all, manager.fields), named)
  const pruned = mine === undefined ? merged : withoutDropped(schema, merged, mine.fields, owned)
  const gone = FieldSet.difference(
    FieldValues.everything(schema, live ?? {}),
    FieldValues.everything(schema, withoutNulls(pruned))
  )
  const taken = FieldSet.union(FieldSet.fromPaths(conflicts.map(({ path }) => path)), gone)
  const rest = others.map((manager) => ({ ...manager, fields: FieldSet.difference(manager.fields, taken) }))
  const unchanged =
    mine !== undefined
    && FieldSet.isEmpty(FieldSet.difference(set, mine.fields))
    && FieldSet.isEmpty(FieldSet.difference(mine.fields, set))
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

/** Part of a configuration that applies to the object or to its status. The rest is ignored and gets no owner. */
const covered = (resource: Resource, intent: JsonObject, subresource: string): JsonObject => {
  if (subresource === "") return hasStatus(resource) ? without(intent, "status") : intent
  const body = without(intent, "spec")
  if (resource.custom !== undefined) return without(body, "metadata")
  return resource.kind === "Deployment" ? put(body, ["metadata", "labels"], undefined) : body
}

/**
 * Removes the fields that a manager's last apply had and this one omits, unless a manager owns the field or part of
 * it.
 *
 * **Source** `merge/update.go`, `prune`.
 */
const withoutDropped = (
  schema: KindSchema.KindSchema,
  merged: JsonObject,
  last: FieldSet.FieldSet,
  owned: FieldSet.FieldSet
): JsonObject => {
  const before = FieldSet.withNamed(schema, last)
  const fieldsOf = (object: JsonObject) => FieldSet.withNamed(schema, FieldSet.fromObject(schema, object))
  const all = fieldsOf(merged)
  const remaining = fieldsOf(FieldValues.remove(schema, merged, before))
  const stays = FieldSet.union(remaining, FieldSet.withNamed(schema, owned))
  const left = fieldsOf(FieldValues.remove(schema, merged, FieldSet.difference(all, stays)))
  // Fields that the manager never applied stay if their parent stays.
  const dropped = FieldSet.intersection(FieldSet.difference(all, left), before)
  return FieldValues.remove(schema, merged, dropped)
}

/** Assigns the fields that an update changed to its writer. Does nothing for an object that was never applied. */
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
  const [old, now] = [managed(before), managed(after)]
  const written = FieldValues.changed(schema, old, now)
  const gone = FieldSet.difference(FieldValues.everything(schema, old), FieldValues.everything(schema, now))
  if (FieldSet.isEmpty(written) && FieldSet.isEmpty(gone)) return after
  const subresource = part === "main" ? "" : part
  const isWriter = (candidate: Manager) =>
    candidate.operation === "Update" && candidate.name === manager && candidate.subresource === subresource
  const writer = known.find(isWriter)
  const fields = FieldSet.difference(FieldSet.union(writer?.fields ?? FieldSet.empty, written), gone)
  const touched = FieldSet.union(written, gone)
  return withManagers(after, [
    ...known
      .filter((one) => !isWriter(one))
      .map((one) => ({ ...one, fields: FieldSet.difference(one.fields, touched) })),
    { name: manager, operation: "Update", subresource, apiVersion: apiVersionOf(resource), time, fields }
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
      fields: FieldValues.everything(KindSchema.ofResource(resource), without(managed(live), "status"))
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
    .toSorted(inOrder)
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

/** Sorts managers that applied before managers that updated, each by time. */
const inOrder = (left: Manager, right: Manager): number => {
  for (const key of ["operation", "time", "name", "apiVersion", "subresource"] as const)
    if (left[key] !== right[key]) return left[key] < right[key] ? -1 : 1
  return 0
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
  return {
    code: 409,
    reason: "Conflict",
    message: `Apply failed: ${causes.map(({ field, message }) => `${message}: ${field}`).join("; ")}`,
    details: { causes }
  }
}

const quoted = (manager: Manager): string => {
  const place = manager.subresource === "" ? "" : ` with subresource ${JSON.stringify(manager.subresource)}`
  return `${JSON.stringify(manager.name)}${place}${manager.operation === "Update" ? ` using ${manager.apiVersion}` : ""}`
}
