/**
 * Text from clusters and servers, made safe to print on a terminal.
 */

/**
 * Escapes control, format and unassigned characters. A name or message can then not move the cursor, reverse the text or
 * end the line.
 *
 * **Example** `oneLine("a\u001b[31m")` is `a\u{1b}[31m`
 */
export const oneLine = (text: string): string =>
  text.replace(/\p{C}|[\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** Escapes a text and keeps its line ends. A lone carriage return is escaped, because it would overwrite its line. */
export const lines = (text: string): string => text.replace(/(?:[^\r\n]|\r(?!\n))+/g, oneLine)

/** Escapes a log and keeps its line ends and tabs. */
export const log = (text: string): string => text.replace(/(?:[^\r\n\t]|\r(?!\n))+/g, oneLine)

/** Prints bytes in binary units. **Example** `2.5Gi` */
export const bytes = (count: number): string => {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"]
  const power = Math.min(count < 1 ? 0 : Math.floor(Math.log2(count) / 10), units.length - 1)
  return `${trimmed(count / 1024 ** power)}${units[power]}`
}

/** Prints thousandths of a core as cores. **Example** `1500` is `1.5` */
export const cores = (millis: number): string => String(millis / 1_000)

const trimmed = (value: number): string => String(Math.round(value * 10) / 10)
