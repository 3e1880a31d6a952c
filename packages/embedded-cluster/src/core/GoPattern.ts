/**
 * Regular expressions as Go reads them, for `pattern` in schemas.
 *
 * **Source** RE2's syntax; what schemas use of it means the same in JavaScript, but for flags in front and classes in
 * double brackets.
 */

const CLASSES = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["blank", "\\t "],
  ["digit", "0-9"],
  ["lower", "a-z"],
  ["space", "\\t\\n\\v\\f\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"]
])

const compiled = new Map<string, RegExp | undefined>()
/** Patterns that are remembered; beyond that all are forgotten and compiled anew. */
const CAPACITY = 1_000

/** Compiles a pattern; `undefined` when it is none. **Limits** remembers what it has compiled. */
export const compile = (pattern: string): RegExp | undefined => {
  if (compiled.has(pattern)) return compiled.get(pattern)
  if (compiled.size >= CAPACITY) compiled.clear()
  const made = attempt(pattern, "u") ?? attempt(pattern, "")
  compiled.set(pattern, made)
  return made
}

const attempt = (pattern: string, flags: string): RegExp | undefined => {
  const leading = /^\(\?([ims]+)\)/.exec(pattern)
  const source = pattern
    .slice(leading?.[0].length ?? 0)
    .replaceAll(/\[:([a-z]+):\]/g, (whole, name: string) => CLASSES.get(name) ?? whole)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
  try {
    return new RegExp(source, `${flags}${leading?.[1] ?? ""}`)
  } catch {
    // Not a pattern is an answer here, and whoever asked says so.
    return undefined
  }
}
