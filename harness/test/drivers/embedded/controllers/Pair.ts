/** An embedded cluster and a real one with its own controllers, a node each, and the same kubelet on both. */
import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ClusterDriver } from "../../../../src/drivers/ClusterDriver.ts"
import { driver as embedded } from "../../../../src/drivers/embedded/Embedded.ts"
import {
  arrayAt,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  put,
  textAt
} from "@quarterdeck/embedded-cluster/Json"
import { eventually } from "../../../../src/machine/Eventually.ts"
import { connect, patching, USERS } from "../Client.ts"
import { kubelet, node, watching } from "./Machine.ts"
import { settled } from "./Scheduled.ts"

const side = (start: ClusterDriver["start"]) =>
  Effect.gen(function* () {
    const client = yield* connect(yield* start({ name: "same", users: USERS, controllers: true }))
    yield* client.call("POST", "/api/v1/nodes", { body: node("n1") })
    yield* client.call("PATCH", "/api/v1/nodes/n1/status", patching({ status: node("n1")["status"] ?? null }))
    yield* kubelet(client)
    return { ...client, ...watching(client) }
  })
export type Side = Effect.Success<ReturnType<typeof side>>

/** The two to compare. */
export class Pair extends Context.Service<Pair, { readonly ours: Side; readonly theirs: Side }>()(
  "test/embedded/controllers/Same/Pair"
) {}

export const layerPair = (real: ClusterDriver) =>
  Layer.effect(
    Pair,
    Effect.gen(function* () {
      const [ours, theirs] = yield* Effect.all([side(embedded.start), side(real.start)], { concurrency: 2 })
      return { ours, theirs }
    })
  )

const CHANCE = new Set([
  // Counts the steps on the way, and one step may be two.
  "generation",
  "observedGeneration",
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "lastUpdateTime",
  "lastTransitionTime",
  "startTime",
  "completionTime",
  "controller-uid",
  "batch.kubernetes.io/controller-uid"
])

/** What the real server says of its own accord, whoever wrote the object: nothing that a controller decides. */
const DROPPED = new Set([
  "managedFields",
  "lastState",
  "lastProbeTime",
  "endpoints.kubernetes.io/last-change-trigger-time"
])

/** What differs by nature: identities, times, and the hashes of templates. */
const normal = (value: Json, hashes: ReadonlySet<string>): Json => {
  if (isArray(value)) return value.map((one) => normal(one, hashes))
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) =>
        one === null || DROPPED.has(key) ? [] : [[key, CHANCE.has(key) ? "*" : normal(one, hashes)]]
      )
    )
  }
  if (typeof value !== "string") return value
  const named = [...hashes].reduce((text, hash) => text.replaceAll(hash, "<hash>"), value)
  return named
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=$|")/g, "-<chance>")
}

const HASH_LABELS = ["pod-template-hash", "controller-revision-hash", "controller.kubernetes.io/hash"]

/** What a cluster holds at some paths, as it can be compared. */
const snapshot = (cluster: Side, ...paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(paths, (path) => cluster.items(path))
    const hashes = new Set(
      found
        .flat()
        .flatMap((item) => HASH_LABELS.map((label) => textAt(item, "metadata", "labels", label)))
        .map((hash) => hash.slice(hash.lastIndexOf("-") + 1))
        .filter((hash) => hash !== "")
    )
    return found.map((items) =>
      items
        .map((item) => normal(item, hashes))
        .map((item) => (isObject(item) ? sorted(item) : item))
        .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    )
  })

/** Lists whose order says nothing, in one order. */
const sorted = (object: JsonObject): JsonObject => {
  const inOrder = (list: ReadonlyArray<Json>) =>
    list.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  if (isArray(object["endpoints"])) {
    const slice = put(object, ["endpoints"], inOrder(object["endpoints"]))
    // Counts every change on the way, so it tells how often a controller wrote.
    const annotated = Object.keys(objectAt(slice, "metadata", "annotations")).length > 0
    const counted = put(slice, ["metadata", "generation"], undefined)
    return annotated ? counted : put(counted, ["metadata", "annotations"], undefined)
  }
  const conditions = arrayAt(object, "status", "conditions").map((one) => settled(object, one))
  return put(object, ["status", "conditions"], conditions.length === 0 ? undefined : inOrder(conditions))
}

/**
 * Does the same on both and compares what they hold once both are at rest. A real controller may write a status of what it
 * saw a moment ago, so a difference counts when it stays.
 */
export const same = (steps: (cluster: Side) => Effect.Effect<void>, ...paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { ours, theirs } = yield* Pair
    yield* Effect.all([steps(ours), steps(theirs)], { concurrency: 2 })
    const both = Effect.all({ ours: snapshot(ours, ...paths), theirs: snapshot(theirs, ...paths) })
    const isSame = (seen: Effect.Success<typeof both>) => isDeepStrictEqual(seen.ours, seen.theirs)
    // Where they do not come to the same, a last look shows in what they differ.
    const seen = yield* eventually("both hold the same", both, isSame, { within: "30 seconds" }).pipe(
      Effect.catchTag("NotYet", () => both)
    )
    assert.deepStrictEqual(seen.ours, seen.theirs)
  })
