/**
 * Copies a value without inherited properties.
 *
 * A schema reads `value.role` even if it is inherited. The copied objects have no prototype, so they inherit nothing.
 */

/**
 * Maximum depth that is copied. No valid document of this package is as deep. The schema refuses the deeper values,
 * which are returned as they are.
 */
const MAX_DEPTH = 16

export const ownProperties = (value: unknown, depth = 0): unknown => {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => ownProperties(item, depth + 1))
  const copy: Record<string, unknown> = { __proto__: null }
  for (const [key, member] of Object.entries(value)) copy[key] = ownProperties(member, depth + 1)
  return copy
}
