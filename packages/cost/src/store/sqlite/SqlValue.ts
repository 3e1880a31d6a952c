/**
 * Checks the types of values in rows.
 */

/** Thrown for damaged data. */
export class Damaged extends Error {}

export const number = (value: unknown): number => {
  if (typeof value !== "number") throw new Damaged("a row has no number in a numeric column")
  return value
}

export const text = (value: unknown): string => {
  if (typeof value !== "string") throw new Damaged("a row has no text in a text column")
  return value
}
