/**
 * The name that somebody meant who wrote another.
 */
import { closestMatch } from "leven"

/** More letters than a slip of the fingers changes make another word. */
const PART_CHANGED = 1 / 3
const ALWAYS_CHANGED = 2

/**
 * Finds the name that is nearest to a text.
 *
 * **Shape** `undefined` when none is near: two letters or a third of the text apart at most, whatever their case.
 */
export const find = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]))
  const maxDistance = Math.max(ALWAYS_CHANGED, Math.floor(text.length * PART_CHANGED))
  const nearest = closestMatch(text.toLowerCase(), [...byLower.keys()], { maxDistance })
  return nearest === undefined ? undefined : byLower.get(nearest)
}

/**
 * Ends a message with a question for the name that was meant, or with nothing where none is near.
 *
 * **Example** `; did you mean server.port?`
 */
export const suggestion = (name: string | undefined): string => (name === undefined ? "" : `; did you mean ${name}?`)
