/**
 * Compresses columns of whole numbers as differences from a prediction.
 *
 * A column is stored as differences of one width, 0 to 6 bytes: the width with the smallest total size. Differences that do not
 * fit are exceptions. They are stored with their index, in a larger width or as plain doubles. Planes of eight, four, two and
 * one bytes follow each other, so that each is read as a typed array.
 *
 * **Limits** Exact for whole numbers of any size: a value that prediction plus difference does not reproduce is stored as a
 * double.
 */
import { ORDER, WIDTH } from "./ColumnBasis.ts"
import { add, type Cursor, pass, type Planes, planesOf, put, RAW } from "./Planes.ts"

/** One array per measure, `undefined` for a column of zeros. */
export type Sparse = ReadonlyArray<Float64Array | undefined>

/**
 * Predicts a column from the columns before it in {@link ORDER}.
 *
 * Fills the first `size` values of `into` and returns true. If it predicts zeros, it leaves `into` as it is and returns false.
 */
export type Prediction = (column: number, known: Sparse, into: Float64Array, size: number) => boolean

/** Predicts zeros. */
export const unpredicted: Prediction = () => false

/** Exclusive upper bound of the magnitude of a difference, by its width in bytes. */
const REACH = [0, 0x80, 0x80_00, 0x80_00_00, 2 ** 31, 2 ** 39, 2 ** 47] as const
/** Maximum length of a column whose indexes are stored in two bytes. Those of longer columns are stored in four. */
const NARROW = 0x1_00_00
/**
 * Header words before the columns: the size, and the number of columns. Each column then has one word with its number of
 * exceptions, their width, and the width of the column.
 */
const HEAD = 2
/** Number of columns in the first version, which did not store this number. Later columns come after these. */
const FIRST_WIDTH = 22
const WIDTH_BITS = 3
const WIDTH_MASK = 2 ** WIDTH_BITS - 1

/** Encoding of a column. `aside` is its number of exceptions, `far` their width. */
interface Kept {
  readonly width: number
  readonly aside: number
  readonly far: number
}

const absent: Kept = { width: 0, aside: 0, far: 0 }

/** Returns the width of a difference, {@link RAW} for NaN and for a difference of more than 6 bytes. */
const widthOf = (rest: number): number => {
  if (rest === 0) return 0
  const reach = rest < 0 ? -rest - 1 : rest
  if (reach < REACH[2]) return reach < REACH[1] ? 1 : 2
  if (reach < REACH[4]) return reach < REACH[3] ? 3 : 4
  if (reach < REACH[6]) return reach < REACH[5] ? 5 : 6
  return RAW
}

/** Number of differences that are sampled to choose a width. */
const SAMPLES = 256

/** Estimates which width gives the smallest total size, given the width of the largest difference. */
const widthFor = (rests: Float64Array, size: number, widest: number): number => {
  const counts = new Uint32Array(RAW + 1)
  const stride = Math.max(1, Math.floor(size / SAMPLES))
  let beyond = 0
  for (let place = 0; place < size; place += stride) {
    const width = widthOf(rests[place] ?? 0)
    counts[width] = (counts[width] ?? 0) + 1
    beyond++
  }
  const asideBytes = (size <= NARROW ? 2 : 4) + (widest === RAW ? 8 : widest)
  const sampled = beyond
  let best = 0
  let bestBytes = Number.POSITIVE_INFINITY
  for (let width = 0; width <= Math.min(widest, RAW - 1); width++) {
    beyond -= counts[width] ?? 0
    const bytes = width * sampled + asideBytes * beyond
    if (bytes >= bestBytes) continue
    best = width
    bestBytes = bytes
  }
  return best
}

/** Positions of the differences of a column, of its exceptions, and of the indexes of the exceptions. */
interface Spot {
  readonly near: Readonly<Cursor>
  readonly far: Readonly<Cursor>
  readonly places: Readonly<Cursor>
}

const spotsOf = (columns: ReadonlyArray<Kept>, size: number) => {
  const end: Cursor = { raws: 0, quads: 0, pairs: 0, bytes: 0 }
  const spots = columns.map(({ aside, far, width }): Spot => {
    const near = { ...end }
    pass(end, width, size)
    const farther = { ...end }
    pass(end, far, aside)
    const places = { ...end }
    pass(end, size <= NARROW ? 2 : 4, aside)
    return { near, far: farther, places }
  })
  const head = (HEAD + columns.length) * 4
  return { spots, end, head, length: head + end.raws * 8 + end.quads * 4 + end.pairs * 2 + end.bytes }
}

/** Scratch buffers, which the next call reuses. */
const room = {
  guesses: new Float64Array(0),
  places: new Float64Array(0),
  values: new Float64Array(0),
  rests: Array.from({ length: WIDTH }, () => new Float64Array(0))
}

const makeRoom = (size: number): void => {
  if (room.guesses.length >= size) return
  const length = size + (size >> 3)
  room.guesses = new Float64Array(length)
  room.places = new Float64Array(length)
  room.values = new Float64Array(length)
  room.rests = room.rests.map(() => new Float64Array(length))
}

/** Exceptions with their indexes in the column. */
interface Aside {
  readonly places: Float64Array
  readonly values: Float64Array
}

const none: Aside = { places: new Float64Array(0), values: new Float64Array(0) }

/**
 * Packs the first `size` values of each column.
 *
 * **Shape** Calls `columnOf` once for each column, in {@link ORDER}. `known` must contain the columns that it returned.
 */
export const pack = (
  size: number,
  columnOf: (column: number) => Float64Array | undefined,
  known: Sparse,
  predicted: Prediction
): Uint8Array => {
  makeRoom(size)
  const { guesses } = room
  const nothing = new Float64Array(0)
  const asides: Array<Aside | undefined> = Array.from({ length: WIDTH })
  const kept = Array.from({ length: WIDTH }, () => absent)
  for (const column of ORDER) {
    const values = columnOf(column)
    const isPredicted = predicted(column, known, guesses, size)
    if (!isPredicted && values === undefined) continue
    if (!isPredicted) guesses.fill(0, 0, size)
    const rests = restsOf(column, size)
    const widest = differences(rests, values ?? nothing, guesses)
    if (widest === 0) continue
    const width = widthFor(rests, size, widest)
    // With the width of the largest difference, there are no exceptions.
    const aside =
      width === widest ? none : takeAside(rests, REACH[width] ?? 0, widest === RAW ? (values ?? nothing) : rests)
    asides[column] = aside
    kept[column] = { width, aside: aside.places.length, far: aside.places.length > 0 ? widest : 0 }
  }

  const { end, head: headBytes, length, spots } = spotsOf(kept, size)
  const packed = new Uint8Array(length)
  const head = new Uint32Array(packed.buffer, 0, HEAD + WIDTH)
  const planes = planesOf(packed.buffer, headBytes, end)
  head[0] = size
  head[1] = WIDTH
  for (const [column, { aside, far, width }] of kept.entries()) {
    head[HEAD + column] = (((aside << WIDTH_BITS) | far) << WIDTH_BITS) | width
    const spot = spots[column]
    const apart = asides[column]
    if (spot === undefined || apart === undefined) continue
    put(restsOf(column, size), width, planes, spot.near)
    put(apart.values, far, planes, spot.far)
    put(apart.places, size <= NARROW ? 2 : 4, planes, spot.places)
  }
  return packed
}

const restsOf = (column: number, size: number): Float64Array =>
  room.rests[column]?.subarray(0, size) ?? new Float64Array(size)

/**
 * Writes values minus guesses to `rests`, or NaN if guess plus difference does not reproduce the value. Returns the width of
 * the largest difference.
 */
const differences = (rests: Float64Array, values: Float64Array, guesses: Float64Array): number => {
  let most = 0
  let isExact = true
  for (let place = 0; place < rests.length; place++) {
    const value = values[place] ?? 0
    const guess = guesses[place] ?? 0
    const rest = value - guess
    rests[place] = rest
    if (guess + rest !== value) {
      rests[place] = Number.NaN
      isExact = false
    } else if (rest > most) most = rest
    else if (-rest > most) most = -rest
  }
  return isExact ? widthOf(most) : RAW
}

/** Replaces differences beyond `reach` by 0. Returns their indexes as exceptions, with the numbers of `values` there. */
const takeAside = (rests: Float64Array, reach: number, values: Float64Array): Aside => {
  const { places, values: taken } = room
  let next = 0
  for (let place = 0; place < rests.length; place++) {
    const rest = rests[place] ?? 0
    if (rest === 0 || (rest < reach && rest >= -reach)) continue
    places[next] = place
    taken[next] = values[place] ?? 0
    rests[place] = 0
    next++
  }
  return { places: places.slice(0, next), values: taken.slice(0, next) }
}

/** Returns the number of packed values per column. */
export const sizeOf = (packed: Uint8Array): number => headOf(packed)[0] ?? 0

const headOf = (packed: Uint8Array): Uint32Array => {
  const [, width = 0] = packed.length < HEAD * 4 ? [] : new Uint32Array(packed.buffer, packed.byteOffset, HEAD)
  const length = HEAD + (width === 0 ? FIRST_WIDTH : width)
  if (packed.length < length * 4) throw new Error("packed columns are truncated")
  if (length > HEAD + WIDTH) throw new Error("packed columns outnumber the measures")
  return new Uint32Array(packed.buffer, packed.byteOffset, length)
}

/**
 * Unpacks columns, with the prediction that they were packed with.
 *
 * **Shape** Columns have length `capacity`, at least the packed size. Values beyond the packed size are zero. So are
 * columns that were added after the version that packed the data.
 */
export const unpack = (
  packed: Uint8Array,
  capacity: number,
  predicted: Prediction
): Array<Float64Array | undefined> => {
  const head = headOf(packed)
  const size = head[0] ?? 0
  const kept = Array.from({ length: head.length - HEAD }, (_, column): Kept => {
    const word = head[HEAD + column] ?? 0
    return {
      width: word & WIDTH_MASK,
      far: (word >>> WIDTH_BITS) & WIDTH_MASK,
      aside: word >>> (2 * WIDTH_BITS)
    }
  })
  const { end, head: headBytes, length, spots } = spotsOf(kept, size)
  if (length !== packed.length || capacity < size) {
    throw new Error("packed columns do not have the length that their header gives")
  }
  const planes = planesOf(packed.buffer, packed.byteOffset + headBytes, end)

  const columns: Array<Float64Array | undefined> = Array.from({ length: WIDTH })
  for (const column of ORDER) {
    const { aside, far, width } = kept[column] ?? absent
    const spot = spots[column]
    const into = new Float64Array(capacity)
    const isPredicted = predicted(column, columns, into, size)
    if (spot === undefined || (!isPredicted && width === 0 && aside === 0)) continue
    add(into, size, width, planes, spot.near)
    if (aside > 0) {
      const numbers = new Float64Array(aside)
      if (far === RAW) numbers.set(planes.raws.subarray(spot.far.raws, spot.far.raws + aside))
      else add(numbers, aside, far, planes, spot.far)
      addAside(into, numbers, far === RAW, placesOf(size, aside, planes, spot.places))
    }
    columns[column] = into
  }
  return columns
}

const placesOf = (size: number, aside: number, { pairs, quads }: Planes, at: Readonly<Cursor>) =>
  size <= NARROW ? pairs.subarray(at.pairs, at.pairs + aside) : quads.subarray(at.quads, at.quads + aside)

const addAside = (
  into: Float64Array,
  numbers: Float64Array,
  isRaw: boolean,
  places: Uint16Array | Uint32Array
): void => {
  for (let one = 0; one < numbers.length; one++) {
    const place = places[one] ?? 0
    into[place] = (isRaw ? 0 : (into[place] ?? 0)) + (numbers[one] ?? 0)
  }
}
