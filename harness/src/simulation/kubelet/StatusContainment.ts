/** Whether a report says something that the server does not know yet. */

/** What identifies the elements of the lists that a status holds, as strategic merge patches do. */
const KEYS = ["type", "name", "ip", "address"]

/**
 * Whether everything in `wanted` is in `present` too.
 *
 * Objects may hold more than is wanted; elements of lists are found by their `type`, `name`, `ip` or `address`.
 */
export const covers = (present: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted)) {
    const has: ReadonlyArray<unknown> = Array.isArray(present) ? present : []
    return wanted.every((element: unknown) => has.some((other) => isSame(other, element) && covers(other, element)))
  }
  if (!isRecord(wanted)) return present === wanted
  return isRecord(present) && Object.entries(wanted).every(([name, value]) => covers(present[name], value))
}

const isSame = (one: unknown, other: unknown): boolean => {
  if (!isRecord(one) || !isRecord(other)) return one === other
  const key = KEYS.find((name) => name in other)
  return key === undefined || one[key] === other[key]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
