/**
 * Suggests a known name for a misspelt one.
 */
import { closestMatch } from "leven"

/**
 * Returns the largest edit distance at which a text counts as a misspelt name. **Shape** half the length for up to 4 letters,
 * 2 for up to 8, a third of the length above; at most 5.
 */
const changedIn = ({ length }: string): number =>
  Math.min(Math.max(Math.min(Math.floor(length / 2), 2), Math.floor(length / 3)), 5)

/**
 * Returns the name closest to a text, ignoring case, or `undefined` if no name is close.
 */
export const find = (text: string, names: ReadonlyArray<string>): string | undefined => {
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]))
  const nearest = closestMatch(text.toLowerCase(), [...byLower.keys()], { maxDistance: changedIn(text) })
  return nearest === undefined ? undefined : byLower.get(nearest)
}

/**
 * Returns the ending of a message that suggests a name, or an empty text without a name.
 *
 * **Example** `; did you mean server.port?`
 */
export const suggestion = (name: string | undefined): string => (name === undefined ? "" : `; did you mean ${name}?`)
