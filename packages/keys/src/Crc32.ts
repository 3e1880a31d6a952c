/**
 * CRC-32 of ASCII text, for modules that also run in a browser.
 *
 * **Source** IEEE 802.3: reflected polynomial 0xEDB88320, initial value and final complement all ones.
 */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

export const crc32 = (ascii: string): number => {
  let remainder = 0xffffffff
  for (let at = 0; at < ascii.length; at++) {
    remainder = (remainder >>> 8) ^ (TABLE[(remainder ^ ascii.charCodeAt(at)) & 0xff] ?? 0)
  }
  return (remainder ^ 0xffffffff) >>> 0
}
