/**
 * Makes what a cluster or a credential plugin says fit for a log: one short line without anything that looks like a
 * secret.
 */
import { isName } from "./NameWords.ts"

/** What is known to be secret, and how many characters may be left. */
interface Masked {
  readonly secrets: ReadonlyArray<string>
  readonly limit: number
}

const MASK = "***"
/** A known secret of fewer characters would mask half of the words. */
const SHORTEST = 4
/** Names of things are this long; of tokens none is shorter that anybody would guess in vain. */
const LONGEST_NAME = 20
const VALUE = `(?:"[^"]*"?|'[^']*'?|[^\\s"',;&]+)`
const NAMED =
  "token|secret|password|passwd|pwd|passphrase|api[_-]?key|access[_-]?key|key|authorization|bearer|credential|signature|cookie"

const RULES: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)/g, MASK],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"']+@/gi, `$1${MASK}@`],
  [
    new RegExp(`\\b(authorization["']?\\s*[:=]\\s*["']?)(?:(?:bearer|basic|negotiate|token)\\s+)?${VALUE}`, "gi"),
    `$1${MASK}`
  ],
  [/\b((?:bearer|basic|negotiate)\s+)[^\s"',;]+/gi, `$1${MASK}`],
  [new RegExp(`((?:${NAMED})\\w*["']?\\s*[:=]\\s*)${VALUE}`, "gi"), `$1${MASK}`],
  [/((?:password|passwd|passphrase)\s+)[^\s"',;]+/gi, `$1${MASK}`],
  // Without a sign between the two, a value that is no word: "token abc123", but "the token has expired".
  [new RegExp(`((?:${NAMED})\\w*\\s+)(?=[^\\s"',;]*\\d)[^\\s"',;]+`, "gi"), `$1${MASK}`]
]

/**
 * Masks and shortens a text.
 *
 * **Shape** what is known to be secret, values after words such as `token`, the user of an address, and long words that
 * are no names become `***`; control characters become spaces. It errs towards masking.
 *
 * **Limits** linear in the text, which its caller bounds.
 *
 * **Example** `deployments "web" refused: token=***`
 */
export const mask = (text: string, { limit, secrets }: Masked): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
  const known = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, MASK), plain)
  const masked = RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), known).replace(
    /[^\s"'=:,;(){}[\]<>]+/g,
    (word) => (word.length < LONGEST_NAME || isName(word) ? word : MASK)
  )
  return masked.length <= limit ? masked.trim() : `${masked.slice(0, limit - 1).trim()}…`
}
