/**
 * The name by which a writer is known among those who manage the fields of an object.
 *
 * **Source** Kubernetes 1.36, `ValidateFieldManager`.
 */
import { type FieldError, tooLong } from "../core/Status.ts"

const MAX_BYTES = 128
const FIELD = "fieldManager"

/** Finds what is wrong with a name. **Shape** none at all is right: then the program that writes gives its own. */
export const errors = (name: string): ReadonlyArray<FieldError> => {
  const found: Array<FieldError> = Buffer.byteLength(name) > MAX_BYTES ? [tooLong(FIELD, MAX_BYTES)] : []
  let at = 0
  for (const character of name) {
    if (!isPrintable(character)) {
      const code = hex(character, 4).toUpperCase()
      const message = `Invalid value: ${quoted(name)}: invalid character U+${code} (at position ${at})`
      found.push({ reason: "FieldValueInvalid", message, field: FIELD })
    }
    at += Buffer.byteLength(character)
  }
  return found
}

const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)

const hex = (character: string, digits: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(digits, "0")

const ESCAPED = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"']
])

/** Quotes a text as Go does. */
const quoted = (text: string): string => `"${Array.from(text, escaped).join("")}"`

const escaped = (character: string): string => {
  const known = ESCAPED.get(character)
  if (known !== undefined || isPrintable(character)) return known ?? character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(character, 2)}`
  return code < 0x1_0000 ? `\\u${hex(character, 4)}` : `\\U${hex(character, 8)}`
}
