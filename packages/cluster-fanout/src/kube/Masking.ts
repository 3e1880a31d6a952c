/**
 * Prepares text from a cluster, a credential plugin or a metrics server for replies and logs: short, on one line,
 * without credentials.
 */
import * as SecretScan from "./SecretScan.ts"
import { MASK } from "./SecretScan.ts"
import * as TextLimit from "./TextLimit.ts"

/** Options of masking. */
export interface MaskOptions {
  /** Credentials that must not appear, whatever their form. */
  readonly secrets?: ReadonlyArray<string>
  /** Maximum length of the result. **Units** UTF-8 bytes; 1 KiB by default. */
  readonly limit?: number
}

/** Maximum length of a message in a reply. **Units** UTF-8 bytes. */
export const LONGEST_MESSAGE = 1_024
/** Maximum length of the scanned part of a text. **Units** UTF-8 bytes. */
const LONGEST_SCANNED = 4_096
/** Shorter known secrets are ignored: they would mask parts of ordinary words. **Units** characters. */
const SHORTEST_SECRET = 4
const ELLIPSIS = "…"

/**
 * Masks and shortens a text.
 *
 * **Shape** replaces known secrets, values after words such as `token`, users in addresses, and long random words by
 * `***`. Control characters become spaces. Names, UIDs and digests stay. A doubtful word is masked.
 *
 * **Limits** cuts the text to 4 KiB and drops the word at the cut, then masks, then cuts to `limit`. Linear.
 *
 * **Example** `deployments "web" refused: token=***`
 */
export const mask = (text: string, { limit = LONGEST_MESSAGE, secrets = [] }: MaskOptions = {}): string => {
  const known = secrets.map(printable).filter((secret) => secret.length >= SHORTEST_SECRET)
  const longest = known.reduce((longest, { length }) => Math.max(longest, length), 0)
  const window = LONGEST_SCANNED + longest
  // Mask before the cut: a known secret may contain blanks, so dropping the last word would not remove all of it.
  const hidden = known
    .toSorted((left, right) => right.length - left.length)
    .reduce((text, secret) => text.replaceAll(secret, MASK), printable(text.slice(0, window)))
  const isCut = text.length > window || !TextLimit.isWithin(hidden, LONGEST_SCANNED)
  // The end of the window may have split a known secret.
  const unbroken = text.length > window ? hidden.slice(0, Math.max(0, hidden.length - longest)) : hidden
  const whole = isCut ? withoutLastWord(TextLimit.cut(unbroken, LONGEST_SCANNED)) : unbroken
  const masked = SecretScan.scan(whole).trim()
  if (!isCut && TextLimit.isWithin(masked, limit)) return masked
  return `${TextLimit.cut(masked, limit - Buffer.byteLength(ELLIPSIS)).trim()}${ELLIPSIS}`
}

/** Puts the text on one line. Every blank becomes a space. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").replace(/[^\S ]/g, " ")

const withoutLastWord = (text: string): string => text.slice(0, text.lastIndexOf(" ") + 1)
