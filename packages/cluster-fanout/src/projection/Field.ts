/**
 * Reads fields of JSON whose shape is not known, without trusting any of it.
 *
 * A schema would check whole objects; a projection needs a few fields of each of very many.
 */

export type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}
const EMPTY: ReadonlyArray<unknown> = []

/** Gives an object's fields; anything else has none. */
export const fields = (value: unknown): Fields => (isFields(value) ? value : NOTHING)

/** Gives an array's elements; anything else has none. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : EMPTY)

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Gives a count: a non-negative integer that a number holds exactly. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Tells whether a Kubernetes `conditions` list holds a condition that is True. */
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
