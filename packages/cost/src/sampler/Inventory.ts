/**
 * The volumes and load balancers of one hour, known from periodic lists.
 */
import { Equal } from "effect"
import type { LoadBalancerFacts, VolumeFacts } from "../allocation/HourFacts.ts"
import type { PodObservation } from "./PodObservations.ts"

/**
 * The lifetime of a volume or load balancer.
 *
 * **Shape** `uid` is that of the claim for a claimed volume. `toMs` is `null` while the volume or load balancer exists.
 *
 * **Units** milliseconds since the epoch.
 */
interface Lasting {
  readonly uid: string
  readonly fromMs: number
  readonly toMs: number | null
}

export interface InventoryVolume extends Omit<VolumeFacts, "spans">, Lasting {}

/** A load balancer. `selector` selects its pods by label; an empty selector selects none. */
export interface InventoryLoadBalancer extends Omit<LoadBalancerFacts, "spans" | "pods">, Lasting {
  readonly selector: Readonly<Record<string, string>>
}

/**
 * The result of listing both kinds once. **Shape** a kind that could not be listed is `undefined`; its known volumes or
 * load balancers stay.
 */
export interface Listed {
  readonly volumes: ReadonlyArray<InventoryVolume> | undefined
  readonly loadBalancers: ReadonlyArray<InventoryLoadBalancer> | undefined
}

/** All known volumes and load balancers. **Shape** `listedAtMs` is the time of the last list, 0 before the first. */
export interface Known {
  readonly volumes: ReadonlyArray<InventoryVolume>
  readonly loadBalancers: ReadonlyArray<InventoryLoadBalancer>
  readonly listedAtMs: number
}

export class Inventory {
  #known: Known
  #isChanged = false

  constructor(known: Known = { volumes: [], loadBalancers: [], listedAtMs: 0 }) {
    this.#known = known
  }

  /** Applies a list. Items that are missing from it have ended. */
  update(listed: Listed, atMs: number): void {
    const { listedAtMs, loadBalancers, volumes } = this.#known
    this.#known = {
      volumes: joined(volumes, listed.volumes, listedAtMs, atMs, claimEnds(volumes, listed.volumes, listedAtMs, atMs)),
      loadBalancers: joined(loadBalancers, listed.loadBalancers, listedAtMs, atMs),
      listedAtMs: atMs
    }
    this.#isChanged = true
  }

  /** Returns all volumes and load balancers if any changed since the last call, or if `all` is set. */
  take(all: boolean): Known | undefined {
    const isTaken = all || this.#isChanged
    this.#isChanged = false
    return isTaken ? this.#known : undefined
  }

  /** Returns the inventory of the next hour: the items that exist after `atMs`. */
  after(atMs: number): Inventory {
    const { listedAtMs, loadBalancers, volumes } = this.#known
    const next = new Inventory({
      volumes: volumes.filter(isAfter(atMs)),
      loadBalancers: loadBalancers.filter(isAfter(atMs)),
      listedAtMs
    })
    next.#isChanged = true
    return next
  }

  volumeFacts(seenToMs: number): ReadonlyArray<VolumeFacts> {
    return this.#known.volumes.map(({ bytes, claim, fromMs, name, namespace, storageClass, toMs }) => ({
      namespace,
      claim,
      name,
      storageClass,
      bytes,
      spans: [{ fromMs, toMs: toMs ?? seenToMs }]
    }))
  }

  loadBalancerFacts(seenToMs: number, pods: Iterable<PodObservation>): ReadonlyArray<LoadBalancerFacts> {
    if (this.#known.loadBalancers.length === 0) return []
    const byNamespace = Map.groupBy(pods, ({ pod }) => pod.namespace)
    return this.#known.loadBalancers.map(({ fromMs, name, namespace, selector, toMs }) => {
      const wanted = Object.entries(selector)
      const behind = (byNamespace.get(namespace) ?? []).filter(
        ({ pod }) => wanted.length > 0 && wanted.every(([key, value]) => pod.labels[key] === value)
      )
      return {
        namespace,
        name,
        spans: [{ fromMs, toMs: toMs ?? seenToMs }],
        pods: behind.map(({ pod }) => pod.uid)
      }
    })
  }
}

const isAfter =
  (atMs: number) =>
  ({ toMs }: Lasting): boolean =>
    toMs === null || toMs > atMs

/** Merges the known items with a new list. A changed item is split: its old form ends when its new form starts. */
const joined = <A extends Lasting>(
  known: ReadonlyArray<A>,
  listed: ReadonlyArray<A> | undefined,
  listedAtMs: number,
  atMs: number,
  changedAtMs: (item: A) => number = () => atMs
): ReadonlyArray<A> => {
  if (listed === undefined) return known
  const open = new Map(known.filter(({ toMs }) => toMs === null).map((item) => [item.uid, item]))
  const ended = new Map(open)
  const present = listed.map((item) => {
    const before = open.get(item.uid)
    if (before === undefined) return item.fromMs <= listedAtMs ? { ...item, fromMs: changedAtMs(item) } : item
    if (!isSameForm(before, item)) return { ...item, fromMs: atMs }
    ended.delete(item.uid)
    return { ...item, fromMs: before.fromMs }
  })
  const uids = new Set(listed.map(({ uid }) => uid))
  return [
    ...known.filter(({ toMs }) => toMs !== null),
    ...Array.from(ended.values(), (item) => ({ ...item, toMs: uids.has(item.uid) ? atMs : changedAtMs(item) })),
    ...present
  ]
}

/**
 * Returns a function that determines when a volume's claim ended, for claims that are missing from a new list.
 *
 * **Shape** if a volume was created since the last list for a new claim of the same name, the end is the creation of
 * that volume. Otherwise the end is the time of the new list.
 */
const claimEnds = (
  known: ReadonlyArray<InventoryVolume>,
  listed: ReadonlyArray<InventoryVolume> = [],
  listedAtMs: number,
  atMs: number
): ((volume: InventoryVolume) => number) => {
  const next = new Map<string, number>()
  for (const volume of listed) {
    if (volume.claim === "" || volume.fromMs <= listedAtMs || volume.fromMs >= atMs) continue
    const key = claimKey(volume)
    next.set(key, Math.min(volume.fromMs, next.get(key) ?? Infinity))
  }
  if (next.size === 0) return () => atMs
  const ends = new Map<string, number>()
  for (const volume of known) {
    const endMs = volume.toMs === null && volume.claim !== "" ? next.get(claimKey(volume)) : undefined
    if (endMs !== undefined) ends.set(volume.name, endMs)
  }
  return ({ name }) => ends.get(name) ?? atMs
}

/** Returns a unique key, because Kubernetes names contain no slash. */
const claimKey = ({ claim, namespace }: InventoryVolume): string => `${namespace}/${claim}`

/** Compares everything except the lifetime. */
const isSameForm = <A extends Lasting>(one: A, other: A): boolean =>
  Equal.equals({ ...one, fromMs: 0 }, { ...other, fromMs: 0 })
