/**
 * The volumes and load balancers of one hour, as lists of them told now and then.
 */
import { Equal } from "effect"
import type { LoadBalancerFacts, VolumeFacts } from "../allocation/HourFacts.ts"
import type { PodObservation } from "./PodObservations.ts"

/**
 * How long something was there.
 *
 * **Shape** `uid` is the claim's for a volume that one has; `toMs` is `null` while it is there.
 *
 * **Units** milliseconds since the epoch.
 */
interface Lasting {
  readonly uid: string
  readonly fromMs: number
  readonly toMs: number | null
}

export interface InventoryVolume extends Omit<VolumeFacts, "spans">, Lasting {}

/** A load balancer; `selector` picks the pods behind it by their labels, an empty one picks none. */
export interface InventoryLoadBalancer extends Omit<LoadBalancerFacts, "spans" | "pods">, Lasting {
  readonly selector: Readonly<Record<string, string>>
}

/** What a list told. **Shape** `undefined` for what could not be listed: what was known of it stays. */
export interface Listed {
  readonly volumes: ReadonlyArray<InventoryVolume> | undefined
  readonly loadBalancers: ReadonlyArray<InventoryLoadBalancer> | undefined
}

/** All that is known. **Shape** `listedAtMs` is when it was listed last, 0 before the first list. */
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

  /** Takes what was listed at an instant; what is missing from it has ended. */
  update(listed: Listed, atMs: number): void {
    const { listedAtMs, loadBalancers, volumes } = this.#known
    this.#known = {
      volumes: joined(volumes, listed.volumes, listedAtMs, atMs, claimEnds(volumes, listed.volumes, listedAtMs, atMs)),
      loadBalancers: joined(loadBalancers, listed.loadBalancers, listedAtMs, atMs),
      listedAtMs: atMs
    }
    this.#isChanged = true
  }

  /** Gives all if any changed since the last time, or in any case. */
  take(all: boolean): Known | undefined {
    const isTaken = all || this.#isChanged
    this.#isChanged = false
    return isTaken ? this.#known : undefined
  }

  /** Gives what is there after an instant: the next hour's. */
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

/** Joins what was there with a new list. An item that changed its form had the old one until `changedAtMs` of both. */
const joined = <A extends Lasting>(
  held: ReadonlyArray<A>,
  listed: ReadonlyArray<A> | undefined,
  listedAtMs: number,
  atMs: number,
  changedAtMs: (item: A) => number = () => atMs
): ReadonlyArray<A> => {
  if (listed === undefined) return held
  const open = new Map(held.filter(({ toMs }) => toMs === null).map((one) => [one.uid, one]))
  const ended = new Map(open)
  const present = listed.map((one) => {
    const before = open.get(one.uid)
    if (before === undefined) return one.fromMs <= listedAtMs ? { ...one, fromMs: changedAtMs(one) } : one
    if (!isSameForm(before, one)) return { ...one, fromMs: atMs }
    ended.delete(one.uid)
    return { ...one, fromMs: before.fromMs }
  })
  const uids = new Set(listed.map(({ uid }) => uid))
  return [
    ...held.filter(({ toMs }) => toMs !== null),
    ...Array.from(ended.values(), (one) => ({ ...one, toMs: uids.has(one.uid) ? atMs : changedAtMs(one) })),
    ...present
  ]
}

/**
 * Finds when the claims of volumes ended that a new list lacks.
 *
 * **Shape** by the claim or the volume: when the volume of the next claim of the same name was created, if that was since
 * the last list. Otherwise the time of the list.
 */
const claimEnds = (
  held: ReadonlyArray<InventoryVolume>,
  listed: ReadonlyArray<InventoryVolume> = [],
  listedAtMs: number,
  atMs: number
): ((volume: InventoryVolume) => number) => {
  const next = new Map<string, number>()
  for (const one of listed) {
    if (one.claim === "" || one.fromMs <= listedAtMs || one.fromMs >= atMs) continue
    const key = claimKey(one)
    next.set(key, Math.min(one.fromMs, next.get(key) ?? Infinity))
  }
  if (next.size === 0) return () => atMs
  const ends = new Map<string, number>()
  for (const one of held) {
    const endMs = one.toMs === null && one.claim !== "" ? next.get(claimKey(one)) : undefined
    if (endMs !== undefined) ends.set(one.name, endMs)
  }
  return ({ name }) => ends.get(name) ?? atMs
}

/** No name of a Kubernetes object has a slash. */
const claimKey = ({ claim, namespace }: InventoryVolume): string => `${namespace}/${claim}`

/** Compares all but when it was there. */
const isSameForm = <A extends Lasting>(one: A, other: A): boolean =>
  Equal.equals({ ...one, fromMs: 0 }, { ...other, fromMs: 0 })
