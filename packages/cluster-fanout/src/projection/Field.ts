/**
 * Reads fields of untrusted JSON.
 *
 * Schemas would check whole objects. Projections need only a few fields of each of very many objects.
 */

export type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}
const EMPTY: ReadonlyArray<unknown> = []

/** Returns an object's fields; none for any other value. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : NOTHING)

/** Returns an array's elements; none for any other value. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : EMPTY)

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Returns a count: a non-negative integer that a number represents exactly. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Returns whether a Kubernetes `conditions` list has a condition whose status is True. */
export const isConditionTrue = (status: Fields, type: string): boolean => condition(status, type)?.["status"] === "True"

/** Finds one entry of a Kubernetes `conditions` list. */
export const condition = (status: Fields, type: string): Fields | undefined => {
  for (const entry of list(status["conditions"])) {
    if (isFields(entry) && entry["type"] === type) return entry
  }
  return undefined
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
