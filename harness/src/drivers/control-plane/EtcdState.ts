/**
 * Takes the objects of a running API server back to an earlier time, below it, in its store.
 *
 * Written through the API, objects would get new uids, and controllers and finalizers would have their say; written into
 * the store they are what they were, and the server and everybody who watches it follow as they follow any change.
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

/** The objects of one moment, by key. */
export type Captured = ReadonlyMap<string, KeyValue>

/** What a restoration did. **Shape** `captured` knows the revisions under which the old values stand now. */
export interface Restored {
  readonly captured: Captured
  /** The keys of custom resource definitions that were written, and of those that were removed. */
  readonly written: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** Somebody may write while the objects go back; what they wrote before the last look goes too. */
const PASSES = 5
/** More follow while one of a pass's writes was refused, with pauses that grow. */
const MOST_PASSES = 20
const PAUSE_MS = 10
/** The revision under which a key was created that is not there. */
const NONE = "0"

/** Reads every object that can be restored. **Limits** one consistent revision; holds their values in memory. */
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
 * Makes the store hold what it held.
 *
 * Untouched objects keep their version. Every object is written under a revision that no other object of its
 * resource shares, because watchers go on from a revision: half of one would be lost to them.
 *
 * **Limits** reads all keys, and writes what differs in at most five passes; nobody who writes meanwhile is held up. Where
 * somebody takes an object's place between the look and the write, further passes follow, with pauses of two seconds in
 * all. **Errors** also where that happens in the twentieth pass. What the server registers by itself as kinds come and go
 * is left to it.
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
    const cause = new Error(`others write ${key} anew whenever it goes, still at the ${MOST_PASSES}th attempt`)
    return yield* new MachineRefused({ action: "take the cluster back", cause })
  }
  return { captured: known, written: [...written], removed: [...removed] }
})

/** Writes objects into a store that no server uses yet. */
export const load = (etcd: Etcd, entries: ReadonlyArray<Operation>): Effect.Effect<void, MachineRefused> =>
  Effect.forEach(chunks(entries, OPERATIONS), (chunk) => etcd.commit(chunk), { concurrency: CALLS, discard: true })

/**
 * What has to be done, in steps that follow each other; the rounds of a step may overlap.
 *
 * Kinds and namespaces come before what lies in them, and go after it. An object that stands where another of the
 * same name was goes before that one comes back: its end is what makes controllers collect what it owned.
 */
export const plan = (
  captured: Captured,
  present: ReadonlyArray<KeyValue>
): ReadonlyArray<ReadonlyArray<ReadonlyArray<Operation>>> => {
  const now = new Map(present.map((entry) => [entry.key, entry]))
  /** Whether another object of the name stands there, or did: the key was gone in between. */
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

/** Deals operations out so that no round changes two objects of one resource; owners, being fewer, go early. */
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
