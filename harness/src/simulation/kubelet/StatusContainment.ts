/** Compares a report with the status that the server has. */

/** Keys that identify elements of a status's lists, as in strategic merge patches. */
const KEYS = ["type", "name", "ip", "address"]

/**
 * Returns whether `present` contains everything in `wanted`.
 *
 * Objects may have additional fields. Elements of lists are matched by `type`, `name`, `ip` or `address`.
 */
export const covers = (present: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted)) {
    const has: ReadonlyArray<unknown> = Array.isArray(present) ? present : []
    return wanted.every((element: unknown) => has.some((right) => isSame(right, element) && covers(right, element)))
  }
  if (!isRecord(wanted)) return present === wanted
  return isRecord(present) && Object.entries(wanted).every(([name, value]) => covers(present[name], value))
}

const isSame = (left: unknown, right: unknown): boolean => {
  if (!isRecord(left) || !isRecord(right)) return left === right
  const key = KEYS.find((name) => name in right)
  return key === undefined || left[key] === right[key]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
