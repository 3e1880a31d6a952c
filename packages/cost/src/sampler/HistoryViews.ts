/**
 * Wrappers of stores, journal and recommender that translate between a cluster's name and its history's key.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { CostError, HourForgotten } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"
import { Recommender } from "../savings/Recommender.ts"
import { CostStore } from "../store/CostStore.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"

/** A history that is sampled. **Shape** `cluster` is the name for prices and sources, `key` the key in the stores. */
export interface SampledHistory {
  readonly cluster: ClusterName
  readonly key: ClusterName
}

const isPlain = ({ cluster, key }: SampledHistory): boolean => cluster === key

/**
 * Returns the store for one history: hours are stored under the history's key, and returned under the cluster's name.
 */
export const storeOf = (store: CostStore["Service"], history: SampledHistory): CostStore["Service"] => {
  if (isPlain(history)) return store
  const { cluster, key } = history
  const named = <A extends { readonly cluster: ClusterName }>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
    values.map((value) => ({ ...value, cluster }))
  const byKey = (hour: Hour): Hour => ({ ...hour, cluster: key })
  return CostStore.of({
    ...store,
    close: (hour) => store.close(byKey(hour)),
    rewrite: (hours) => store.rewrite(hours.map(byKey)),
    hours: (_, window) => Effect.map(store.hours(key, window), named),
    sums: (_, window) => Effect.map(store.sums([key], window), named),
    sumsByStep: (_, edges) => Effect.map(store.sumsByStep([key], edges), (steps) => steps.map(named)),
    extents: Effect.map(store.extents, (extents) => named(extents.filter((extent) => extent.cluster === key)))
  })
}

/**
 * Returns the journal with open hours mapped to the history's key.
 *
 * Back-fill records keep the cluster's name, because sources of past usage know clusters by name.
 */
export const journalOf = (journal: HourJournal["Service"], history: SampledHistory): HourJournal["Service"] => {
  if (isPlain(history)) return journal
  const byKey = ({ startMs }: KeptHour): KeptHour => ({ cluster: history.key, startMs })
  return HourJournal.of({
    ...journal,
    read: (hour) => journal.read(byKey(hour)),
    append: (hour, entries) => journal.append(byKey(hour), entries),
    replace: (hour, entries) => journal.replace(byKey(hour), entries),
    remove: (hour) => journal.remove(byKey(hour))
  })
}

/** Returns the recommender with usage mapped to the history's key. */
export const recommenderOf = (recommender: Recommender["Service"], history: SampledHistory): Recommender["Service"] => {
  if (isPlain(history)) return recommender
  return Recommender.of({
    fold: (usage) => recommender.fold({ ...usage, cluster: history.key }),
    release: () => recommender.release(history.key)
  })
}

/**
 * Returns the store, but refuses to close hours before `sinceMs`, so that they are not back-filled.
 *
 * Sources of past usage know clusters by name, and another cluster had the name before `sinceMs`.
 */
export const storeSince = (store: CostStore["Service"], sinceMs: number): CostStore["Service"] =>
  CostStore.of({
    ...store,
    close: (hour) =>
      hour.startMs >= sinceMs
        ? store.close(hour)
        : Effect.fail(new CostError({ reason: new HourForgotten({ cluster: hour.cluster, startMs: hour.startMs }) }))
  })

/** Returns the recommender, but ignores usage of hours before `sinceMs`. */
export const recommenderSince = (recommender: Recommender["Service"], sinceMs: number): Recommender["Service"] =>
  Recommender.of({
    ...recommender,
    fold: (usage) => (usage.startMs >= sinceMs ? recommender.fold(usage) : Effect.void)
  })
