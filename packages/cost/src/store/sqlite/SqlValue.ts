/**
 * Reads values of rows as what they must be.
 */

/** Thrown where what is kept is not what was written. */
export class Damaged extends Error {}

export const number = (value: unknown): number => {
  if (typeof value !== "number") throw new Damaged("a row has no number where one belongs")
  return value
}

export const text = (value: unknown): string => {
  if (typeof value !== "string") throw new Damaged("a row has no text where one belongs")
  return value
}
