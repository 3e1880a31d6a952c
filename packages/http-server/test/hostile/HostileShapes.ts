/**
 * Long texts of shapes that a quadratic scanner takes seconds for.
 */

/** Just under the 16 KiB that Node allows the head of a request. */
const HEADER_LENGTH = 15_300

const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/** Texts of one length by the name of their shape: printable ASCII, without spaces at either end. */
export const shapes = (length: number = HEADER_LENGTH): ReadonlyArray<readonly [shape: string, text: string]> => [
  ["blanks within", `x${" ".repeat(length - 4)}y=1`],
  ["blanks before another character", `${repeated("a ", length - 1)}!`],
  ["tabs within", `x${"\t".repeat(length - 4)}y=1`],
  ["one letter", repeated("a", length)],
  ["digits", repeated("9", length)],
  ["commas", repeated(",", length)],
  ["semicolons and equals", repeated("a=b;", length)],
  ["equals", repeated("=", length)],
  ["hyphens and dots", `${repeated("a-.", length - 1)}!`],
  ["slashes", repeated("/", length)],
  ["colons", repeated("::", length)],
  ["addresses", repeated("1.1.1.1,", length)],
  ["brackets", repeated("[", length)],
  ["quotes and backslashes", repeated('\\"', length)],
  ["percent", repeated("%41", length)],
  ["base64", `Bearer ${repeated("QUJD", length - 8)}`],
  ["Basic of base64", `Basic ${repeated("QUJD", length - 8)}`]
]
