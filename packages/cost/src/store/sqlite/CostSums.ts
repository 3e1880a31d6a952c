/**
 * Adds and subtracts sums of steps. A series may have different slots in different steps.
 */
import type { StepKey } from "./CostRows.ts"
import type { Table } from "./Epoch.ts"
import * as TransferColumns from "./TransferColumns.ts"
import type { Laid } from "./TransferColumns.ts"

/** Result of {@link combine}, which can be a term of a further sum. Series with only zeros are left out. */
export interface Combined extends Table, Laid {
  readonly known: number
}

/** Sums that are added (`sign` 1) or subtracted (`sign` -1). */
export interface Term {
  readonly sums: Table & { readonly known: number }
  readonly sign: 1 | -1
}

interface SignedKey {
  readonly key: StepKey
  readonly sign: 1 | -1
}

/** Returns the steps of a difference with their signs. A step that is in both lists cancels out and is left out. */
export const cancelled = (added: ReadonlyArray<StepKey>, taken: ReadonlyArray<StepKey>): ReadonlyArray<SignedKey> => {
  const isIn = (keys: ReadonlyArray<StepKey>) => (key: StepKey) =>
    keys.some(({ epoch, level, step }) => epoch === key.epoch && level === key.level && step === key.step)
  const isTaken = isIn(taken)
  const isAdded = isIn(added)
  return [
    ...added.filter((key) => !isTaken(key)).map((key): SignedKey => ({ key, sign: 1 })),
    ...taken.filter((key) => !isAdded(key)).map((key): SignedKey => ({ key, sign: -1 }))
  ]
}

/**
 * Sums terms by series, each with its sign.
 *
 * **Limits** Linear in the number of values. Exact for whole sums below 2^53. Fastest for terms with the same order of series,
 * such as steps of one epoch.
 */
export const combine = (terms: ReadonlyArray<Term>): Combined => {
  const { ids, placed } = union(terms)
  const laid = TransferColumns.make(ids.length, (column) =>
    terms.some(({ sums }) => sums.columns[column] !== undefined)
  )
  for (const [column, into] of TransferColumns.spread(laid, ids.length).entries()) {
    if (into !== undefined) addColumn(into, placed, column)
  }
  const known = terms.reduce((sum, { sign, sums }) => sum + sign * sums.known, 0)
  const left = withoutZeros(laid, ids)
  return { ...left, size: left.ids.length, columns: TransferColumns.spread(left, left.ids.length), known }
}

/** A term, and the index in the result for each of its slots. For the first `straight` slots, this index equals the slot. */
interface Placed {
  readonly term: Term
  readonly places: Int32Array
  readonly straight: number
}

const union = (terms: ReadonlyArray<Term>) => {
  let largest = -1
  let most = 0
  for (const { sums } of terms) {
    most += sums.size
    for (let slot = 0; slot < sums.size; slot++) {
      const id = sums.ids[slot] ?? -1
      if (id > largest) largest = id
    }
  }
  const placeOf = new Int32Array(largest + 1).fill(-1)
  const ids = new Int32Array(most)
  let count = 0
  const placed = terms.map((term): Placed => {
    const { sums } = term
    const places = new Int32Array(sums.size)
    let straight = 0
    for (let slot = 0; slot < sums.size; slot++) {
      const id = sums.ids[slot] ?? 0
      let place = placeOf[id] ?? -1
      if (place < 0) {
        place = count++
        placeOf[id] = place
        ids[place] = id
      }
      places[slot] = place
      if (place === straight && slot === straight) straight++
    }
    return { term, places, straight }
  })
  return { ids: ids.slice(0, count), placed }
}

const addColumn = (into: Float64Array, placed: ReadonlyArray<Placed>, column: number): void => {
  const [first, second] = placed
  const from = first?.term.sums.columns[column]
  const other = second?.term.sums.columns[column]
  let done = 0
  if (first !== undefined && second !== undefined && from !== undefined && other !== undefined) {
    done = Math.min(first.straight, second.straight)
    addBoth(into, from, first.term.sign, other, second.term.sign, done)
  }
  for (const [index, { places, straight, term }] of placed.entries()) {
    const values = term.sums.columns[column]
    if (values === undefined) continue
    const start = index < 2 ? done : 0
    addStraight(into, values, start, straight, term.sign)
    addTo(into, values, places, Math.max(start, straight), term.sign)
  }
}

const addBoth = (
  into: Float64Array,
  from: Float64Array,
  sign: number,
  other: Float64Array,
  otherSign: number,
  size: number
): void => {
  for (let slot = 0; slot < size; slot++) into[slot] = sign * (from[slot] ?? 0) + otherSign * (other[slot] ?? 0)
}

const addStraight = (into: Float64Array, from: Float64Array, start: number, end: number, sign: number): void => {
  for (let slot = start; slot < end; slot++) into[slot] = (into[slot] ?? 0) + sign * (from[slot] ?? 0)
}

const addTo = (into: Float64Array, from: Float64Array, to: Int32Array, start: number, sign: number): void => {
  for (let slot = start; slot < to.length; slot++) {
    const place = to[slot] ?? 0
    into[place] = (into[place] ?? 0) + sign * (from[slot] ?? 0)
  }
}

/** Removes series with only zeros, in place. */
const withoutZeros = ({ used, values }: Laid, ids: Int32Array): Laid & { readonly ids: Int32Array } => {
  const count = ids.length
  const zeros = zerosOf(values, count)
  if (zeros.length === 0) return { used, values, ids }
  const kept = new Int32Array(count - zeros.length)
  for (let place = 0, zero = 0, next = 0; place < count; place++) {
    if (zeros[zero] === place) zero++
    else kept[next++] = place
  }
  let next = 0
  for (let from = 0; from < values.length; from += count) next = moveTogether(values, from, kept, next)
  return { used, values: values.subarray(0, next), ids: kept.map((place) => ids[place] ?? 0) }
}

const moveTogether = (values: Float64Array, from: number, kept: Int32Array, next: number): number => {
  for (let one = 0; one < kept.length; one++) values[next + one] = values[from + (kept[one] ?? 0)] ?? 0
  return next + kept.length
}

/** Finds the series with zeros in every column. **Limits** Stops early if most series are non-zero in the first columns. */
const zerosOf = (values: Float64Array, count: number): Int32Array => {
  let zeros = new Int32Array(count)
  for (let place = 0; place < count; place++) zeros[place] = place
  for (let at = 0; at < values.length && zeros.length > 0; at += count) {
    let left = 0
    for (let one = 0; one < zeros.length; one++) {
      const place = zeros[one] ?? 0
      if (values[at + place] === 0) zeros[left++] = place
    }
    zeros = zeros.subarray(0, left)
  }
  return zeros
}
