/**
 * Adds and subtracts sums of steps, whatever slots their series have in each.
 */
import type { StepKey } from "./costRows.ts"
import type { Table } from "./epoch.ts"
import * as LaidColumns from "./laidColumns.ts"
import type { Laid } from "./laidColumns.ts"

/** What came out of adding, which may be added again. **Shape** none of its series is zero throughout. */
export interface Combined extends Table, Laid {
  readonly known: number
}

/** Sums that count once, or are taken away once. */
export interface Term {
  readonly sums: Table & { readonly known: number }
  readonly sign: 1 | -1
}

/** A step whose sums count, or are taken away. */
interface SignedKey {
  readonly key: StepKey
  readonly sign: 1 | -1
}

/** Leaves out steps that count once and are taken away once. */
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

/** Adds terms up. **Limits** linear in their places; exact while sums are whole and below 2^53. */
export const combine = (terms: ReadonlyArray<Term>): Combined => {
  const { ids, places } = union(terms)
  const count = ids.length
  const laid = LaidColumns.make(count, (column) => terms.some(({ sums }) => sums.columns[column] !== undefined))
  const columns = LaidColumns.spread(laid, count)
  let known = 0
  for (const [index, { sign, sums }] of terms.entries()) {
    known += sign * sums.known
    const to = places[index]
    if (to === undefined) continue
    for (const [column, from] of sums.columns.entries()) {
      const into = columns[column]
      if (from === undefined || into === undefined) continue
      if (to.isStraight) addStraight(into, from, sums.size, sign)
      else if (sign === 1) addTo(into, from, to.places)
      else takeFrom(into, from, to.places)
    }
  }
  return withoutZeros({ ...laid, ids, size: count, columns, known })
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
  const places = terms.map(({ sums }) => {
    const to = new Int32Array(sums.size)
    let isStraight = true
    for (let slot = 0; slot < sums.size; slot++) {
      const id = sums.ids[slot] ?? 0
      let place = placeOf[id] ?? -1
      if (place < 0) {
        place = count++
        placeOf[id] = place
        ids[place] = id
      }
      to[slot] = place
      if (place !== slot) isStraight = false
    }
    return { places: to, isStraight }
  })
  return { ids: ids.slice(0, count), places }
}

const addStraight = (into: Float64Array, from: Float64Array, size: number, sign: number): void => {
  for (let slot = 0; slot < size; slot++) into[slot] = (into[slot] ?? 0) + sign * (from[slot] ?? 0)
}

const addTo = (into: Float64Array, from: Float64Array, to: Int32Array): void => {
  for (let slot = 0; slot < to.length; slot++) {
    const place = to[slot] ?? 0
    into[place] = (into[place] ?? 0) + (from[slot] ?? 0)
  }
}

const takeFrom = (into: Float64Array, from: Float64Array, to: Int32Array): void => {
  for (let slot = 0; slot < to.length; slot++) {
    const place = to[slot] ?? 0
    into[place] = (into[place] ?? 0) - (from[slot] ?? 0)
  }
}

const withoutZeros = (combined: Combined): Combined => {
  const { columns, ids, known, size, values } = combined
  const zeros = zerosOf(values, size)
  if (zeros.length === 0) return combined
  const kept = new Int32Array(size - zeros.length)
  let next = 0
  for (let place = 0, zero = 0; place < size; place++) {
    if (zeros[zero] === place) zero++
    else kept[next++] = place
  }
  const laid = LaidColumns.make(kept.length, (column) => columns[column] !== undefined)
  const left = LaidColumns.spread(laid, kept.length)
  for (const [column, from] of columns.entries()) {
    const into = left[column]
    if (from === undefined || into === undefined) continue
    for (let place = 0; place < kept.length; place++) into[place] = from[kept[place] ?? 0] ?? 0
  }
  return { ...laid, ids: kept.map((place) => ids[place] ?? 0), size: kept.length, columns: left, known }
}

/** The places that are zero throughout. **Limits** looks at few columns where most have something in the first. */
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
