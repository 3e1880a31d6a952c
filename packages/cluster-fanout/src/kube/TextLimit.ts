/**
 * Cuts text that comes from a cluster to a number of UTF-8 bytes.
 */

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A UTF-16 unit needs at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3

/** Whether the text has at most so many UTF-8 bytes. **Limits** Reads at most `bytes` characters. */
export const isWithin = (text: string, bytes: number): boolean =>
  text.length * BYTES_PER_UNIT <= bytes || (text.length <= bytes && Buffer.byteLength(text) <= bytes)

/**
 * Returns the longest beginning of whole characters that has at most so many UTF-8 bytes.
 *
 * **Shape** The result never keeps a longer text in memory, as a slice would.
 */
export const cut = (text: string, bytes: number): string => {
  if (isWithin(text, bytes)) return text
  const buffer = new Uint8Array(bytes)
  const { written } = encoder.encodeInto(text, buffer)
  return decoder.decode(buffer.subarray(0, written))
}
