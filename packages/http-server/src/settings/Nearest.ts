/**
 * The name that somebody meant who wrote another.
 */
import { closestMatch } from "leven"

/** Letters that a slip of the fingers changes at most: half of a short text, two of a longer one or its third, five of a long one. */
const changedIn = ({ length }: string): number =>
  Math.min(Math.max(Math.min(Math.floor(length / 2), 2), Math.floor(length / 3)), 5)

/**
 * Finds the name that is nearest to a text.
 *
 * **Shape** `undefined` when none is near, whatever their case.
 */
export const find = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]))
  const nearest = closestMatch(text.toLowerCase(), [...byLower.keys()], { maxDistance: changedIn(text) })
  return nearest === undefined ? undefined : byLower.get(nearest)
}

/**
 * Ends a message with a question for the name that was meant, or with nothing where none is near.
 *
 * **Example** `; did you mean server.port?`
 */
export const suggestion = (name: string | undefined): string => (name === undefined ? "" : `; did you mean ${name}?`)
