/**
 * Running sums over an epoch: the hours of a day, or the days of a month.
 *
 * A step stores the sum of each series since the start of the epoch, so the amounts between any two steps are one subtraction.
 * A series gets a slot in the step in which it first appears. Its amount in that step, the slope, predicts its later sums. Only
 * the differences from the predictions are stored. To decode a step, its own bytes and the slots of earlier steps are needed,
 * but no sums of other steps.
 */
import { BASIS, WIDTH } from "./ColumnBasis.ts"
import { pack, type Prediction, sizeOf, type Sparse, unpack, unpredicted } from "./PackedColumns.ts"

/**
 * Sums of one step: an hour of a day, or a day of a month. **Shape** One value per slot. `ids` has the series of each
 * slot. Only the first `size` slots count.
 */
export interface Table {
  readonly ids: Int32Array
  readonly size: number
  readonly columns: Sparse
}

/**
 * The slot of each series of an epoch, and its slope: its amount in the first step in which it appears. Needed to
 * decode the steps. Arrays may be longer than the number of slots.
 */
export interface Model {
  /** Stored steps, ascending. The ordinal of a step is its index here. */
  readonly steps: Array<number>
  /** Number of slots after each step. */
  readonly sizes: Array<number>
  ids: Int32Array
  /** Ordinal of the step that introduced each slot. */
  since: Int32Array
  /** Amount of each slot in the step that introduced it, by column. */
  readonly slopes: Array<Float64Array | undefined>
}

/** Writes the steps of an epoch, in order. */
export interface Writer {
  readonly model: Model
  /** Sums after the last step. */
  readonly totals: Array<Float64Array | undefined>
  /** Slot of each series by its id, or -1. */
  slots: Int32Array
}

/** A value that the running sums do not reproduce exactly, because they exceed 2^53. `place` is its index in the hour. */
export interface Correction {
  readonly place: number
  readonly column: number
  readonly value: number
}

/** An encoded step. **Shape** `slots` is present only if the step introduced series. */
interface Packed {
  readonly sums: Uint8Array
  readonly slots: Uint8Array | undefined
  readonly corrections: ReadonlyArray<Correction>
}

const sizeOfModel = ({ sizes }: Model): number => sizes.at(-1) ?? 0

const emptyModel = (): Model => ({
  steps: [],
  sizes: [],
  ids: new Int32Array(0),
  since: new Int32Array(0),
  slopes: Array.from({ length: WIDTH })
})

/** Makes the writer of an epoch (a day or a month) without steps. */
export const empty = (): Writer => ({
  model: emptyModel(),
  totals: Array.from({ length: WIDTH }),
  slots: new Int32Array(0)
})

/** Makes the function that predicts the sums of a step from the slopes of the epoch. */
const predictedBy =
  ({ since, slopes }: Model, ordinal: number): Prediction =>
  (column, known, into, size) => {
    const slope = slopes[column]
    if (slope === undefined) return false
    const basis = BASIS[column] ?? -1
    const base = slopes[basis]
    const sums = known[basis]
    if (base === undefined || sums === undefined) {
      for (let slot = 0; slot < size; slot++) into[slot] = (slope[slot] ?? 0) * (ordinal - (since[slot] ?? 0) + 1)
      return true
    }
    for (let slot = 0; slot < size; slot++) {
      const each = slope[slot] ?? 0
      const per = base[slot] ?? 0
      const sum = sums[slot] ?? 0
      if (per === 0) into[slot] = each * (ordinal - (since[slot] ?? 0) + 1)
      else if (per === each) into[slot] = sum
      else into[slot] = Math.floor(sum * (each / per) + 0.5)
    }
    return true
  }

/** Decodes the slots of an epoch. **Shape** One row per stored step, ascending. */
export const modelOf = (
  rows: ReadonlyArray<{ readonly step: number; readonly slots: Uint8Array | undefined }>
): Model => {
  const model = emptyModel()
  const parts = rows.map(({ slots }) => (slots === undefined ? undefined : introduced(slots)))
  grow(
    model,
    parts.reduce((sum, part) => sum + (part?.ids.length ?? 0), 0)
  )
  let size = 0
  for (const [ordinal, { step }] of rows.entries()) {
    const part = parts[ordinal]
    model.steps.push(step)
    if (part !== undefined) {
      model.ids.set(part.ids, size)
      model.since.fill(ordinal, size, size + part.ids.length)
      for (const [column, values] of part.values.entries()) {
        if (values === undefined) continue
        slopeOf(model, column).set(values, size)
      }
      size += part.ids.length
    }
    model.sizes.push(size)
  }
  return model
}

const slopeOf = (model: Model, column: number): Float64Array => {
  const slope = model.slopes[column] ?? new Float64Array(model.ids.length)
  model.slopes[column] = slope
  return slope
}

const introduced = (bytes: Uint8Array) => {
  const count = new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] ?? 0
  const ids = new Int32Array(bytes.buffer, bytes.byteOffset + 8, count)
  const packed = bytes.subarray(8 + roundedToEight(count * 4))
  if (sizeOf(packed) !== count) throw new Error("the slots of a step contradict each other")
  return { ids, values: unpack(packed, count, unpredicted) }
}

const introduce = (ids: Int32Array, values: Sparse): Uint8Array => {
  const packed = pack(ids.length, (column) => values[column], values, unpredicted)
  const bytes = new Uint8Array(8 + roundedToEight(ids.length * 4) + packed.length)
  new Uint32Array(bytes.buffer, 0, 1)[0] = ids.length
  new Int32Array(bytes.buffer, 8, ids.length).set(ids)
  bytes.set(packed, 8 + roundedToEight(ids.length * 4))
  return bytes
}

const roundedToEight = (length: number): number => (length + 7) & ~7

/** Decodes the sums of a step. **Shape** Columns have length `capacity`, by default the number of slots. */
export const tableAt = (model: Model, ordinal: number, sums: Uint8Array, capacity?: number): Table => {
  const size = model.sizes[ordinal] ?? 0
  const before = model.sizes[ordinal - 1] ?? 0
  if (sizeOf(sums) !== before) throw new Error("the sums of a step do not match the slots of its epoch")
  const columns = unpack(sums, capacity ?? size, predictedBy(model, ordinal))
  if (size > before) {
    for (const [column, slope] of model.slopes.entries()) {
      if (slope === undefined) continue
      const into = columns[column] ?? new Float64Array(capacity ?? size)
      columns[column] = into
      into.set(slope.subarray(before, size), before)
    }
  }
  return { ids: model.ids, size, columns }
}

/** Makes the writer that continues an epoch after its last step. **Shape** `sums` are the encoded sums of that step. */
export const writerOf = (model: Model, sums: Uint8Array | undefined): Writer => {
  const size = sizeOfModel(model)
  const totals =
    sums === undefined
      ? Array.from<Float64Array | undefined>({ length: WIDTH })
      : [...tableAt(model, model.steps.length - 1, sums, model.ids.length).columns]
  return { model, totals, slots: slotsOf(model, size) }
}

/** Returns the slot of each series by its id, or -1. */
export const slotsOf = ({ ids }: Pick<Model, "ids">, size: number): Int32Array => {
  let largest = -1
  for (let slot = 0; slot < size; slot++) largest = Math.max(largest, ids[slot] ?? -1)
  const slots = new Int32Array(largest + 1).fill(-1)
  for (let slot = 0; slot < size; slot++) slots[ids[slot] ?? 0] = slot
  return slots
}

/** Returns the sums after the last step. **Limits** The next {@link append} changes the returned arrays. */
export const totalOf = ({ model, totals }: Writer): Table => ({
  ids: model.ids,
  size: sizeOfModel(model),
  columns: totals
})

/** Returns the approximate size of a model or a table. **Units** bytes. */
export const bytesOf = (columns: Sparse, ids: Int32Array): number =>
  columns.reduce((sum, column) => sum + (column?.byteLength ?? 0), ids.byteLength)

/**
 * Adds a step after the last one, and encodes it.
 *
 * **Shape** Columns have one value for each of `ids`, which are distinct.
 *
 * **Errors** Throws for a value that is not a whole number. Do not use the writer after that.
 */
export const append = (writer: Writer, step: number, ids: Int32Array, columns: Sparse): Packed => {
  const { model, totals } = writer
  const before = sizeOfModel(model)
  const places = claim(writer, ids, before)
  const size = before + places.fresh
  model.steps.push(step)
  model.sizes.push(size)
  const corrections: Array<Correction> = []
  const added = (column: number): Float64Array | undefined => {
    const values = columns[column]
    const isUsed = values !== undefined && values.some((value) => value !== 0)
    if (totals[column] === undefined && !isUsed) return undefined
    const total = totals[column] ?? new Float64Array(model.ids.length)
    totals[column] = total
    if (isUsed) add(total, places.slots, values, (place, value) => corrections.push({ place, column, value }))
    if (size > before) slopeOf(model, column).set(total.subarray(before, size), before)
    return total
  }
  const sums = pack(before, added, totals, predictedBy(model, model.steps.length - 1))
  const slots =
    size === before
      ? undefined
      : introduce(
          model.ids.subarray(before, size),
          totals.map((total) => total?.subarray(before, size))
        )
  return { sums, slots, corrections }
}

const add = (
  total: Float64Array,
  slots: Int32Array,
  values: Float64Array,
  onInexact: (place: number, value: number) => void
): void => {
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0
    if (!Number.isInteger(value)) throw new Error(`${value} is not a whole number`)
    const slot = slots[place] ?? 0
    const old = total[slot] ?? 0
    const sum = old + value
    total[slot] = sum
    if (sum - old !== value) onInexact(place, value)
  }
}

/** Finds the slot of each series, and adds slots for new series. */
const claim = (writer: Writer, ids: Int32Array, before: number) => {
  const { model } = writer
  let largest = -1
  for (const id of ids) largest = Math.max(largest, id)
  if (largest >= writer.slots.length) {
    const slots = new Int32Array(roomFor(largest + 1)).fill(-1)
    slots.set(writer.slots)
    writer.slots = slots
  }
  const slots = new Int32Array(ids.length)
  const fresh: Array<number> = []
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] ?? 0
    let slot = writer.slots[id] ?? -1
    if (slot < 0) {
      slot = before + fresh.length
      writer.slots[id] = slot
      fresh.push(id)
    }
    slots[place] = slot
  }
  const size = before + fresh.length
  if (size > model.ids.length) {
    grow(model, roomFor(size))
    for (const [column, total] of writer.totals.entries()) {
      if (total !== undefined) writer.totals[column] = longer(total, model.ids.length)
    }
  }
  model.ids.set(fresh, before)
  model.since.fill(model.steps.length, before, size)
  return { slots, fresh: fresh.length }
}

/** Returns a capacity with an eighth to spare, so that a few new series per step do not cause a copy of the arrays. */
const roomFor = (size: number): number => size + (size >> 3) + 16

const grow = (model: Model, capacity: number): void => {
  const ids = new Int32Array(capacity)
  const since = new Int32Array(capacity)
  ids.set(model.ids)
  since.set(model.since)
  model.ids = ids
  model.since = since
  for (const [column, slope] of model.slopes.entries()) {
    if (slope !== undefined) model.slopes[column] = longer(slope, capacity)
  }
}

const longer = (values: Float64Array, length: number): Float64Array => {
  const copy = new Float64Array(length)
  copy.set(values)
  return copy
}
