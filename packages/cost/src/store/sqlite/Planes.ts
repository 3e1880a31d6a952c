/**
 * Numbers of 0 to 6 bytes, split into planes of four, two and one bytes. Each plane is read as a typed array.
 */

const TWO_32 = 2 ** 32
/** Marks numbers that are stored as doubles. Used in place of a width. */
export const RAW = 7

const quadsOf = (width: number): number => (width >= 4 && width !== RAW ? 1 : 0)
const pairsOf = (width: number): number => (width === 2 || width === 3 || width === 6 ? 1 : 0)
const bytesOf = (width: number): number => (width === RAW ? 0 : width & 1)

/** Position in each plane. */
export interface Cursor {
  raws: number
  quads: number
  pairs: number
  bytes: number
}

/** Advances a cursor by `count` numbers of a width. */
export const pass = (cursor: Cursor, width: number, count: number): void => {
  if (width === RAW) cursor.raws += count
  cursor.quads += quadsOf(width) * count
  cursor.pairs += pairsOf(width) * count
  cursor.bytes += bytesOf(width) * count
}

export interface Planes {
  readonly raws: Float64Array
  readonly quads: Uint32Array
  readonly pairs: Uint16Array
  readonly bytes: Uint8Array
}

/** Makes views of the planes in a buffer. The widest plane comes first, so that each is aligned. */
export const planesOf = (
  buffer: ArrayBufferLike,
  offset: number,
  { bytes, pairs, quads, raws }: Readonly<Cursor>
): Planes => {
  const quadsAt = offset + raws * 8
  const pairsAt = quadsAt + quads * 4
  return {
    raws: new Float64Array(buffer, offset, raws),
    quads: new Uint32Array(buffer, quadsAt, quads),
    pairs: new Uint16Array(buffer, pairsAt, pairs),
    bytes: new Uint8Array(buffer, pairsAt + pairs * 2, bytes)
  }
}

/** Writes numbers of one width. **Shape** Two's complement, with the lower part in the wider plane. */
export const put = (numbers: Float64Array, width: number, planes: Planes, at: Readonly<Cursor>): void => {
  const { bytes, pairs, quads, raws } = planes
  if (width === 0) return
  if (width === 1) bytes.set(numbers, at.bytes)
  else if (width === 2) pairs.set(numbers, at.pairs)
  else if (width === 4) quads.set(numbers, at.quads)
  else if (width === RAW) raws.set(numbers, at.raws)
  else if (width === 3) {
    for (let place = 0; place < numbers.length; place++) {
      const rest = numbers[place] ?? 0
      pairs[at.pairs + place] = rest & 0xff_ff
      bytes[at.bytes + place] = rest >> 16
    }
  } else {
    const highs = width === 5 ? bytes : pairs
    const from = width === 5 ? at.bytes : at.pairs
    for (let place = 0; place < numbers.length; place++) {
      const rest = numbers[place] ?? 0
      const high = Math.floor(rest / TWO_32)
      quads[at.quads + place] = rest - high * TWO_32
      highs[from + place] = high
    }
  }
}

/** Adds stored numbers of one width to `into`. Each width has its own loop over arrays of one type, for speed. */
export const add = (into: Float64Array, size: number, width: number, planes: Planes, at: Readonly<Cursor>): void => {
  const quads = planes.quads.subarray(at.quads, at.quads + size)
  const pairs = planes.pairs.subarray(at.pairs, at.pairs + size)
  const bytes = planes.bytes.subarray(at.bytes, at.bytes + size)
  const signedBytes = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const signedPairs = new Int16Array(pairs.buffer, pairs.byteOffset, pairs.length)
  if (width === 1) addSingles(into, size, signedBytes)
  else if (width === 2) addPairs(into, size, signedPairs)
  else if (width === 3) addTriples(into, size, pairs, signedBytes)
  else if (width === 4) addQuads(into, size, new Int32Array(quads.buffer, quads.byteOffset, quads.length))
  else if (width === 5) addFives(into, size, quads, signedBytes)
  else if (width === 6) addSixes(into, size, quads, signedPairs)
}

const addSingles = (into: Float64Array, size: number, bytes: Int8Array): void => {
  for (let place = 0; place < size; place++) into[place] = (into[place] ?? 0) + (bytes[place] ?? 0)
}

const addPairs = (into: Float64Array, size: number, pairs: Int16Array): void => {
  for (let place = 0; place < size; place++) into[place] = (into[place] ?? 0) + (pairs[place] ?? 0)
}

const addTriples = (into: Float64Array, size: number, lows: Uint16Array, highs: Int8Array): void => {
  for (let place = 0; place < size; place++) {
    into[place] = (into[place] ?? 0) + ((highs[place] ?? 0) * 0x1_00_00 + (lows[place] ?? 0))
  }
}

const addQuads = (into: Float64Array, size: number, quads: Int32Array): void => {
  for (let place = 0; place < size; place++) into[place] = (into[place] ?? 0) + (quads[place] ?? 0)
}

const addFives = (into: Float64Array, size: number, lows: Uint32Array, highs: Int8Array): void => {
  for (let place = 0; place < size; place++) {
    into[place] = (into[place] ?? 0) + ((highs[place] ?? 0) * TWO_32 + (lows[place] ?? 0))
  }
}

const addSixes = (into: Float64Array, size: number, lows: Uint32Array, highs: Int16Array): void => {
  for (let place = 0; place < size; place++) {
    into[place] = (into[place] ?? 0) + ((highs[place] ?? 0) * TWO_32 + (lows[place] ?? 0))
  }
}
