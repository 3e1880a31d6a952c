/**
 * Detail of an hour besides its sums: its series in order, and the prices at which they were charged.
 *
 * Only repricing and explanations read it; sums of reports do not.
 */
// Default import. With named imports, a Node version without one of the functions fails before the version check.
import zlib from "node:zlib"
import type { Correction } from "./Epoch.ts"

/**
 * The detail of one hour, unpacked.
 *
 * **Shape** `ids` has the series in the order of the hour. `charges` is JSON. `shares` has {@link SHARE_WIDTH} numbers per
 * share.
 */
export interface Detail {
  readonly ids: Int32Array
  readonly charges: string
  readonly rateOf: Int32Array
  readonly shares: Float64Array
  readonly corrections: ReadonlyArray<Correction>
}

/** Number of values of a share: series, rate, CPU, memory, GPU. */
export const SHARE_WIDTH = 5
const CORRECTION_WIDTH = 3
/** Size of the header: number of series, of share values, of correction values, and of bytes of charges. */
const HEAD_BYTES = 16

/** Compresses the detail. **Shape** Ids are stored as differences, most of which are 1. */
export const pack = ({ corrections, ids, rateOf, charges, shares }: Detail): Uint8Array => {
  const text = new TextEncoder().encode(charges)
  const corrected = corrections.length * CORRECTION_WIDTH
  const numbers = shares.length + corrected
  const bytes = new Uint8Array(HEAD_BYTES + numbers * 8 + ids.length * 8 + text.length)
  new Uint32Array(bytes.buffer, 0, 4).set([ids.length, shares.length, corrected, text.length])
  const values = new Float64Array(bytes.buffer, HEAD_BYTES, numbers)
  values.set(shares)
  values.set(
    corrections.flatMap(({ column, place, value }) => [place, column, value]),
    shares.length
  )
  const at = HEAD_BYTES + numbers * 8
  const moves = new Int32Array(bytes.buffer, at, ids.length)
  let last = -1
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] ?? 0
    moves[place] = id - last
    last = id
  }
  new Int32Array(bytes.buffer, at + ids.length * 4, ids.length).set(rateOf)
  bytes.set(text, at + ids.length * 8)
  return zlib.zstdCompressSync(bytes)
}

export const unpack = (packed: Uint8Array): Detail => {
  // Copied, because a buffer from the pool may not be aligned for the wider types.
  const bytes = Uint8Array.from(zlib.zstdDecompressSync(packed))
  const [count = 0, shared = 0, corrected = 0, length = 0] = new Uint32Array(bytes.buffer, 0, 4)
  const values = new Float64Array(bytes.buffer, HEAD_BYTES, shared + corrected)
  const at = HEAD_BYTES + values.byteLength
  const moves = new Int32Array(bytes.buffer, at, count)
  const ids = new Int32Array(count)
  let last = -1
  for (let place = 0; place < count; place++) {
    last += moves[place] ?? 0
    ids[place] = last
  }
  const corrections: Array<Correction> = []
  for (let one = shared; one < values.length; one += CORRECTION_WIDTH) {
    corrections.push({ place: values[one] ?? 0, column: values[one + 1] ?? 0, value: values[one + 2] ?? 0 })
  }
  return {
    ids,
    rateOf: new Int32Array(bytes.buffer.slice(at + count * 4, at + count * 8)),
    charges: new TextDecoder().decode(bytes.subarray(at + count * 8, at + count * 8 + length)),
    shares: values.slice(0, shared),
    corrections
  }
}
