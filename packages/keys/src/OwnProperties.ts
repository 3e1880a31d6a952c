/**
 * Copies a value so that only its own properties are left to read.
 *
 * A schema reads `value.role` wherever it comes from; on an object without a prototype it can only be its own.
 */

/** Deeper than any document of this package; what lies below is handed on as it is and refused by the schema. */
const MAX_DEPTH = 16

export const ownProperties = (value: unknown, depth = 0): unknown => {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => ownProperties(item, depth + 1))
  const copy: Record<string, unknown> = { __proto__: null }
  for (const [key, member] of Object.entries(value)) copy[key] = ownProperties(member, depth + 1)
  return copy
}
