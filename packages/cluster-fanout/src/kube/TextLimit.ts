/**
 * Limits text from a cluster to a number of UTF-8 bytes.
 */

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Upper bound of UTF-8 bytes for one UTF-16 unit. */
const BYTES_PER_UNIT = 3

/** Returns whether the text has at most this many UTF-8 bytes. **Limits** reads at most `bytes` characters. */
export const isWithin = (text: string, bytes: number): boolean =>
  text.length * BYTES_PER_UNIT <= bytes || (text.length <= bytes && Buffer.byteLength(text) <= bytes)

/**
 * Returns the longest prefix of whole characters that has at most this many UTF-8 bytes.
 *
 * **Shape** the result does not retain the longer text in memory, as a slice would.
 */
export const cut = (text: string, bytes: number): string => {
  if (isWithin(text, bytes)) return text
  const buffer = new Uint8Array(bytes)
  const { written } = encoder.encodeInto(text, buffer)
  return decoder.decode(buffer.subarray(0, written))
}
