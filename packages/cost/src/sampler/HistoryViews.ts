/**
 * Stores, journal and recommender as the sampler of one history sees them: its cluster by name, its hours by key.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { CostError, HourForgotten } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"
import { Recommender } from "../savings/Recommender.ts"
import { CostStore } from "../store/CostStore.ts"
import { HourJournal, type KeptHour } from "./HourJournal.ts"

/** A history that is sampled. **Shape** `cluster` prices and asks by name, `key` is what stores keep its hours by. */
export interface SampledHistory {
  readonly cluster: ClusterName
  readonly key: ClusterName
}

const isPlain = ({ cluster, key }: SampledHistory): boolean => cluster === key

/** Writes the hours of the cluster into its history, and reads them from there. */
export const storeOf = (store: CostStore["Service"], history: SampledHistory): CostStore["Service"] => {
  if (isPlain(history)) return store
  const { cluster, key } = history
  const named = <A extends { readonly cluster: ClusterName }>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
    values.map((value) => ({ ...value, cluster }))
  const kept = (hour: Hour): Hour => ({ ...hour, cluster: key })
  return CostStore.of({
    ...store,
    close: (hour) => store.close(kept(hour)),
    rewrite: (hours) => store.rewrite(hours.map(kept)),
    hours: (_, window) => Effect.map(store.hours(key, window), named),
    sums: (_, window) => Effect.map(store.sums([key], window), named),
    sumsByStep: (_, edges) => Effect.map(store.sumsByStep([key], edges), (steps) => steps.map(named)),
    extents: Effect.map(store.extents, (extents) => named(extents.filter((extent) => extent.cluster === key)))
  })
}

/**
 * Keeps open hours by the history's key.
 *
 * What is to be filled in is kept by the cluster's name: the source of the past knows no other.
 */
export const journalOf = (journal: HourJournal["Service"], history: SampledHistory): HourJournal["Service"] => {
  if (isPlain(history)) return journal
  const kept = ({ startMs }: KeptHour): KeptHour => ({ cluster: history.key, startMs })
  return HourJournal.of({
    ...journal,
    read: (hour) => journal.read(kept(hour)),
    append: (hour, entries) => journal.append(kept(hour), entries),
    remove: (hour) => journal.remove(kept(hour))
  })
}

/** Learns from usage for the history alone. */
export const recommenderOf = (recommender: Recommender["Service"], history: SampledHistory): Recommender["Service"] => {
  if (isPlain(history)) return recommender
  return Recommender.of({
    fold: (usage) => recommender.fold({ ...usage, cluster: history.key }),
    release: () => recommender.release(history.key)
  })
}

/**
 * Keeps hours of before an instant from being filled in.
 *
 * A source of the past knows clusters by name: what it tells of that time is of the cluster that had the name then.
 */
export const storeSince = (store: CostStore["Service"], sinceMs: number): CostStore["Service"] =>
  CostStore.of({
    ...store,
    close: (hour) =>
      hour.startMs >= sinceMs
        ? store.close(hour)
        : Effect.fail(new CostError({ reason: new HourForgotten({ cluster: hour.cluster, startMs: hour.startMs }) }))
  })

/** Keeps usage of before an instant from being learnt from. */
export const recommenderSince = (recommender: Recommender["Service"], sinceMs: number): Recommender["Service"] =>
  Recommender.of({
    ...recommender,
    fold: (usage) => (usage.startMs >= sinceMs ? recommender.fold(usage) : Effect.void)
  })
