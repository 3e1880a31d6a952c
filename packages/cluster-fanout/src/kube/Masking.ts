/**
 * Makes text of a cluster, a credential plugin or a metrics server fit for replies and logs: short, on one line and
 * without credentials.
 */
import * as SecretScan from "./SecretScan.ts"
import { MASK } from "./SecretScan.ts"
import * as TextLimit from "./TextLimit.ts"

/** What the caller knows of a text. */
export interface MaskOptions {
  /** Credentials that must not appear, whatever they look like. */
  readonly secrets?: ReadonlyArray<string>
  /** Largest size of the result. **Units** UTF-8 bytes; 1 KiB by default. */
  readonly limit?: number
}

/** Largest message in a reply. **Units** UTF-8 bytes. */
export const LONGEST_MESSAGE = 1_024
/** Only this much of a text is scanned. **Units** UTF-8 bytes. */
const LONGEST_SCANNED = 4_096
/** A shorter known secret would mask half of the words. **Units** characters. */
const SHORTEST_SECRET = 4
const ELLIPSIS = "…"

/**
 * Masks and shortens a text.
 *
 * **Shape** Known secrets, values after words such as `token`, the user of an address, and long random words become
 * `***`. Control characters become spaces. Names, UIDs and digests stay. In doubt the word is masked.
 *
 * **Limits** Cuts the text to 4 KiB and drops the word that this cut broke, then masks, then cuts to `limit`. Linear.
 *
 * **Example** `deployments "web" refused: token=***`
 */
export const mask = (text: string, { limit = LONGEST_MESSAGE, secrets = [] }: MaskOptions = {}): string => {
  const known = secrets.map(printable).filter((secret) => secret.length >= SHORTEST_SECRET)
  const longest = known.reduce((most, { length }) => Math.max(most, length), 0)
  const window = LONGEST_SCANNED + longest
  // Before the cut: a known secret may hold blanks, so that the last word is not all of it.
  const hidden = known
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, secret) => left.replaceAll(secret, MASK), printable(text.slice(0, window)))
  const isCut = text.length > window || !TextLimit.isWithin(hidden, LONGEST_SCANNED)
  // The end of the window may have broken a known secret.
  const unbroken = text.length > window ? hidden.slice(0, Math.max(0, hidden.length - longest)) : hidden
  const whole = isCut ? withoutLastWord(TextLimit.cut(unbroken, LONGEST_SCANNED)) : unbroken
  const masked = SecretScan.scan(whole).trim()
  if (!isCut && TextLimit.isWithin(masked, limit)) return masked
  return `${TextLimit.cut(masked, limit - Buffer.byteLength(ELLIPSIS)).trim()}${ELLIPSIS}`
}

/** Writes the text on one line, every blank as a space. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").replace(/[^\S ]/g, " ")

const withoutLastWord = (text: string): string => text.slice(0, text.lastIndexOf(" ") + 1)
