/**
 * Regular expressions in Go's syntax, for `pattern` in schemas.
 *
 * **Source** RE2's syntax. Schemas use a part of it that means the same in JavaScript, except leading flags, POSIX
 * classes, named groups, `\A` and `\z`.
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
/** Compiled patterns in the cache. When it is full, the cache is emptied. */
const CAPACITY = 1_000

/** Compiles a pattern. Returns `undefined` if the text is not a pattern. **Limits** caches what it compiles. */
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
    // The caller reports a text that is not a pattern.
    return undefined
  }
}
