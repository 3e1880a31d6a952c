/**
 * The difference between an answer and the expected answer.
 */

/**
 * Returns the largest relative difference between the numbers of two values.
 *
 * **Shape** infinite if the values differ in anything else: text, fields, number or order of items, or a number that is not
 * finite.
 */
export const between = (actual: unknown, expected: unknown): number => {
  if (typeof actual === "number" && typeof expected === "number") return apart(actual, expected)
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length === expected.length ? most(actual, expected, actual.keys()) : Number.POSITIVE_INFINITY
  }
  if (isRecord(actual) && isRecord(expected)) {
    const keys = Object.keys(expected)
    return keys.length === Object.keys(actual).length && keys.every((key) => Object.hasOwn(actual, key))
      ? most(actual, expected, keys)
      : Number.POSITIVE_INFINITY
  }
  return Object.is(actual, expected) ? 0 : Number.POSITIVE_INFINITY
}

const apart = (actual: number, expected: number): number => {
  if (!Number.isFinite(actual) || !Number.isFinite(expected)) return Number.POSITIVE_INFINITY
  return actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected)
}

type Keyed = Readonly<Record<PropertyKey, unknown>>

const isRecord = (value: unknown): value is Keyed =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const most = <K extends PropertyKey>(
  actual: Readonly<Record<K, unknown>>,
  expected: Readonly<Record<K, unknown>>,
  keys: Iterable<K>
): number => {
  let largest = 0
  for (const key of keys) largest = Math.max(largest, between(actual[key], expected[key]))
  return largest
}
