/**
 * Sums an hour's quantities by series.
 */
import type { Hour, RateShare, StorageShare } from "../hour/Hour.ts"
import { columns, type Measure, measures, record } from "../hour/Measure.ts"
import { keyOf, MANAGEMENT, type Series } from "../hour/Series.ts"
import { addCompute, type Compute, noCompute, type PriceClass } from "./PodHosts.ts"
import { secondsIn, union } from "./Intervals.ts"

/**
 * The quantities of one series so far.
 *
 * **Shape** `parts` has the compute by price class. `storage` has the KiB-seconds of volumes by storage class, without volumes
 * that have no class. `running` has the run times of the pods as alternating starts and ends, pod after pod. `seconds` is the
 * run time of the containers, and `knownSeconds` the part of it with known usage.
 */
export interface Account {
  readonly series: Series
  readonly key: string
  readonly amounts: Record<Measure, number>
  readonly parts: Map<PriceClass, Compute>
  readonly storage: Map<string, number>
  readonly running: Array<number>
  seconds: number
  knownSeconds: number
}

export interface SeriesAccounts {
  readonly byKey: Map<string, Account>
  /** The accounts by series object. Replicas usually share one object, so its key need not be built again. */
  readonly bySeries: Map<Series, Account>
}

export const make = (): SeriesAccounts => ({ byKey: new Map(), bySeries: new Map() })

/** Returns the account of a series, creating it if needed. Equal series share one account. */
export const accountOf = ({ byKey, bySeries }: SeriesAccounts, series: Series): Account => {
  const known = bySeries.get(series)
  if (known !== undefined) return known
  const key = keyOf(series)
  const account = byKey.get(key) ?? {
    series,
    key,
    amounts: record(() => 0),
    parts: new Map(),
    storage: new Map(),
    running: [],
    seconds: 0,
    knownSeconds: 0
  }
  byKey.set(key, account)
  bySeries.set(series, account)
  return account
}

/** Adds compute quantities to an account, under the price class of the node. */
export const allocate = ({ amounts, parts }: Account, priceClass: PriceClass, compute: Readonly<Compute>): void => {
  const part = parts.get(priceClass) ?? noCompute()
  parts.set(priceClass, part)
  addCompute(part, compute)
  addCompute(amounts, compute)
}

/** Adds storage of the given storage class to an account. */
export const store = ({ amounts, storage }: Account, storageClass: string, kibSeconds: number): void => {
  amounts.storageKibSeconds += kibSeconds
  if (storageClass !== "") storage.set(storageClass, (storage.get(storageClass) ?? 0) + kibSeconds)
}

/**
 * Returns the hour's columns.
 *
 * **Shape** series are sorted by key. Series without any quantity are left out, except the control plane. Price classes are
 * sorted by their number of nodes, highest first.
 */
export const toHour = ({
  byKey
}: SeriesAccounts): Pick<Hour, "series" | "columns" | "rates" | "rateOf" | "shares" | "storage"> => {
  for (const account of byKey.values()) closeTimes(account)
  const accounts = [...byKey.values()]
    .filter(({ amounts, series }) => series.kind === MANAGEMENT || measures.some((measure) => amounts[measure] !== 0))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const classes = [...new Set(accounts.flatMap(({ parts }) => [...parts.keys()]))].toSorted(byMachines)
  const rateIndex = new Map(classes.map((priceClass, rate) => [priceClass, rate]))
  const rateOf = new Int32Array(accounts.length).fill(-1)
  const shares: Array<RateShare> = []
  const storage: Array<StorageShare> = []
  const values = columns(accounts.length)
  for (const [series, account] of accounts.entries()) {
    for (const measure of measures) values[measure][series] = account.amounts[measure]
    const parts = [...account.parts].map(([priceClass, part]) => ({ rate: rateIndex.get(priceClass) ?? -1, ...part }))
    const [only] = parts
    if (only !== undefined && parts.length === 1) rateOf[series] = only.rate
    else shares.push(...parts.toSorted((a, b) => a.rate - b.rate).map((part) => ({ series, ...part })))
    const volumes = [...account.storage].filter(([, kibSeconds]) => kibSeconds !== 0)
    for (const [storageClass, kibSeconds] of volumes.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      storage.push({ series, storageClass, kibSeconds })
    }
  }
  return {
    series: accounts.map(({ series }) => series),
    columns: values,
    rates: classes.map(({ rateClass }) => rateClass),
    rateOf,
    shares,
    storage
  }
}

/** Sorts price classes by number of nodes, then by the total time of these nodes, both descending, then by key. */
const byMachines = (one: PriceClass, other: PriceClass): number =>
  other.machines - one.machines || other.seconds - one.seconds || (one.key < other.key ? -1 : 1)

/**
 * Computes `existedSeconds` and `coveredSeconds`. `coveredSeconds` is rounded down, so that only full coverage counts
 * as complete.
 */
const closeTimes = ({ amounts, knownSeconds, running, seconds }: Account): void => {
  if (running.length === 0) return
  amounts.existedSeconds = secondsIn(union(running))
  amounts.coveredSeconds = seconds === 0 ? 0 : Math.floor((amounts.existedSeconds * knownSeconds) / seconds)
}
