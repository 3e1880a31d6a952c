/**
 * Restores the objects of a running API server in its store, below the API.
 *
 * Through the API, objects would get new uids, and controllers and finalizers would react to deletions. In the store,
 * objects keep their identity, and the server and its watches follow the changes as usual.
 */
import { Effect } from "effect"
import { MachineRefused } from "../../machine/HarnessError.ts"
import { CALLS, type Etcd, type KeyValue, OPERATIONS, type Operation } from "./EtcdClient.ts"
import {
  API_SERVICES,
  DEFINITIONS,
  holdsAutoregistered,
  NAMESPACES,
  PREFIX,
  resourceOf,
  treatmentOf
} from "./EtcdKeys.ts"

/** Captured objects by key. */
export type Captured = ReadonlyMap<string, KeyValue>

/** The result of a restore. **Shape** `captured` has the new revisions of the restored values. */
export interface Restored {
  readonly captured: Captured
  /** Keys of the custom resource definitions that were written. */
  readonly written: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** Maximum number of passes while other clients keep writing. Their writes before the last pass are reverted. */
const PASSES = 5
/** Maximum number of passes if writes conflict, with increasing pauses. */
const MOST_PASSES = 20
const PAUSE_MS = 10
/** The creation revision of a missing key. */
const NONE = "0"

/** Reads every object that can be restored. **Limits** one consistent revision; holds the values in memory. */
export const capture = (etcd: Etcd): Effect.Effect<Captured, MachineRefused> =>
  Effect.map(
    etcd.read(PREFIX),
    ({ entries }) =>
      new Map(
        entries
          .filter((entry) => treatmentOf(entry.key) !== "server")
          .filter((entry) => !(entry.key.startsWith(API_SERVICES) && holdsAutoregistered(entry)))
          .map((entry) => [entry.key, entry] as const)
      )
  )

/**
 * Restores the store to captured objects.
 *
 * Unchanged objects keep their version. No two objects of a resource are written under the same revision: a watch that
 * resumes at a revision would miss one of them.
 *
 * **Limits** reads all keys and writes the differences in at most five passes, without blocking other writers. If other
 * writers replace an object during a pass, it makes up to 20 passes, with pauses of two seconds in total. Does not touch
 * API services that the server registers itself. **Errors** `MachineRefused` if the last pass still conflicts.
 */
export const restore = Effect.fnUntraced(function* (
  etcd: Etcd,
  captured: Captured
): Effect.fn.Return<Restored, MachineRefused> {
  const known = new Map(captured)
  const written = new Set<string>()
  const removed = new Set<string>()
  const refused = new Set<string>()
  for (let pass = 0; pass < PASSES || (refused.size > 0 && pass < MOST_PASSES); pass++) {
    if (pass >= PASSES) yield* Effect.sleep(pass * PAUSE_MS)
    const { entries } = yield* etcd.read(PREFIX, { keysOnly: true })
    const services = yield* etcd.read(API_SERVICES)
    const registered = new Set(services.entries.filter(holdsAutoregistered).map(({ key }) => key))
    const steps = plan(
      known,
      entries.filter(({ key }) => known.has(key) || !registered.has(key))
    )
    refused.clear()
    if (steps.length === 0) break
    for (const rounds of steps) {
      yield* Effect.forEach(
        rounds,
        (round) =>
          Effect.map(etcd.commit(round), ({ done, revision }) => {
            for (const [place, { key, over = NONE, value }] of round.entries()) {
              if (done[place] !== true) {
                refused.add(key)
                continue
              }
              if (value !== undefined)
                known.set(key, { key, value, revision, created: over === NONE ? revision : over })
              if (key.startsWith(DEFINITIONS)) (value === undefined ? removed : written).add(key)
            }
          }),
        { concurrency: CALLS, discard: true }
      )
    }
  }
  const [key] = refused
  if (key !== undefined) {
    const cause = new Error(`${key} is still being recreated by another client after ${MOST_PASSES} attempts`)
    return yield* new MachineRefused({ action: "restore the cluster", cause })
  }
  return { captured: known, written: [...written], removed: [...removed] }
})

/** Writes objects into a store that no server uses yet. */
export const load = (etcd: Etcd, entries: ReadonlyArray<Operation>): Effect.Effect<void, MachineRefused> =>
  Effect.forEach(chunks(entries, OPERATIONS), (chunk) => etcd.commit(chunk), { concurrency: CALLS, discard: true })

/**
 * Plans a restore as steps that run in sequence. A step has one or more transactions (rounds), which may run in
 * parallel.
 *
 * Definitions and namespaces are created before their objects and deleted after them. If a captured object's name now
 * belongs to another object, that object is deleted before the original is restored. Controllers then collect its
 * dependents.
 */
export const plan = (
  captured: Captured,
  present: ReadonlyArray<KeyValue>
): ReadonlyArray<ReadonlyArray<ReadonlyArray<Operation>>> => {
  const now = new Map(present.map((entry) => [entry.key, entry]))
  /** Returns whether the key was deleted and created again since the capture. */
  const isAnother = ({ created, key }: KeyValue) => (now.get(key)?.created ?? created) !== created
  const under = (prefix: string) => (operation: { readonly key: string }) => operation.key.startsWith(prefix)
  const frames = [DEFINITIONS, NAMESPACES]
  const framed = (operation: Operation) => frames.some((prefix) => under(prefix)(operation))
  const differing = [...captured.values()].filter((entry) => {
    const treatment = treatmentOf(entry.key)
    if (treatment === "passing" || treatment === "server") return false
    return treatment === "renewed"
      ? !now.has(entry.key)
      : now.get(entry.key)?.revision !== entry.revision || isAnother(entry)
  })
  const displaced = differing
    .filter((entry) => !framed(entry) && isAnother(entry))
    .map(({ key }): Operation => ({ key }))
  const leaving = new Set(displaced.map(({ key }) => key))
  const writes = differing.map(({ key, value }): Operation & { readonly over: string } => ({
    key,
    value,
    over: leaving.has(key) ? NONE : (now.get(key)?.created ?? NONE)
  }))
  const removals = present
    .filter(({ key }) => !captured.has(key) && treatmentOf(key) !== "server")
    .map(({ key }): Operation => ({ key }))
  const inside = [...writes, ...removals].filter((operation) => !framed(operation))
  return [
    ...frames.map((prefix) => writes.filter(under(prefix))),
    displaced,
    inside,
    ...frames.toReversed().map((prefix) => removals.filter(under(prefix)))
  ]
    .filter((operations) => operations.length > 0)
    .map(rounds)
}

/**
 * Distributes operations over transactions (rounds). No transaction changes two objects of one resource. All objects of
 * a resource with few objects are therefore in the first transactions.
 */
const rounds = (operations: ReadonlyArray<Operation>): ReadonlyArray<ReadonlyArray<Operation>> => {
  const dealt: Array<Array<Operation>> = []
  const places = new Map<string, number>()
  for (const operation of operations) {
    const resource = resourceOf(operation.key)
    let place = places.get(resource) ?? 0
    while ((dealt[place]?.length ?? 0) >= OPERATIONS) place++
    places.set(resource, place + 1)
    const round = dealt[place] ?? []
    round.push(operation)
    dealt[place] = round
  }
  return dealt
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
