/**
 * Text from elsewhere, made safe to show on a terminal.
 */

/**
 * Shows what cannot be seen: control, format and unassigned characters become escapes, so that no name or message can
 * move the cursor, reverse the text or end the line.
 *
 * **Example** `oneLine("a\u001b[31m")` is `a\u{1b}[31m`
 */
export const oneLine = (text: string): string =>
  text.replace(/\p{C}|[\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** Does the same to a text of several lines, whose ends stay: a carriage return alone would write over its own line. */
export const lines = (text: string): string => text.replace(/(?:[^\r\n]|\r(?!\n))+/g, oneLine)

/** Does so to a log, whose tabs stay too: what a workload wrote must not rule the terminal of who reads it. */
export const log = (text: string): string => text.replace(/(?:[^\r\n\t]|\r(?!\n))+/g, oneLine)

/** Writes bytes in binary units. **Example** `2.5Gi` */
export const bytes = (count: number): string => {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"]
  const power = Math.min(count < 1 ? 0 : Math.floor(Math.log2(count) / 10), units.length - 1)
  return `${trimmed(count / 1024 ** power)}${units[power]}`
}

/** Writes thousandths of a core in cores. **Example** `1500` is `1.5` */
export const cores = (millis: number): string => String(millis / 1_000)

const trimmed = (value: number): string => String(Math.round(value * 10) / 10)
