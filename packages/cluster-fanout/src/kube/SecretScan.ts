/**
 * Finds credentials in text and masks them, in one pass over its words.
 *
 * Masks PEM blocks, users in addresses, values after names such as `password`, and long random words.
 */
import { isGenerated, isName } from "./TokenMasking.ts"

export const MASK = "***"

/** A shorter word is masked only if a name before it marks it as secret. **Units** characters. */
const SHORTEST_TOKEN = 20

/** Words whose presence anywhere in a name marks its value as secret: `DB_PASSWORD_FILE=…`. */
const SECRET_NAME = /token|secret|password|passwd|pwd|passphrase|key|authorization|bearer|credential|signature|cookie/i
const PASSWORD_NAME = /(?:password|passwd|passphrase)$/i
const TOKEN_NAME = /token$/i
const SCHEME = /^(?:bearer|basic|negotiate)$/i
/** Words that are no credential although they follow an authentication scheme: "bearer token is missing". */
const AFTER_SCHEME = /^(?:tokens?|auth|authentication|authorization|credentials?|scheme|realm)$/i

/** Words that continue a sentence after "password": "password for user", "key DB_PASSWORD in Secret". */
const AFTER_PASSWORD = /^(?:and|by|cannot|does|file|for|from|has|in|must|not|of|on|or|should|to|with)$/
/** Matches the verb in "password is hunter2". */
const IS = /(?:is|was)\s+/y

/** Every pattern below is sticky or global and never reads a character twice. */
const WORD = /[^\s"'`=:,;(){}[\]<>|\\\u0080-\uffff]+/g
const EQUALS = /\\*["']?\s*[:=][\s:=>|]*/y
const BLANKS = /\s+/y
const BARE = /[^\s"',;]+/y
/** A comma, semicolon or ampersand ends a value only before a blank, a quote or a further `name=` or `name:`. */
const UNQUOTED = /(?:[^\s"',;&]|[,;&](?![\s"']|$|[\w.-]{1,64}[=:]))+/y
const QUOTE = /\\*["']/y
const SCHEME_VALUE = /\s+[^\s"',;]+/y
const COOKIE_PAIR = /\s*;\s*[^\s=;"',]+=[^\s;"',]*/y

/**
 * Masks everything that looks like a credential.
 *
 * **Shape** `text` is on one line.
 *
 * **Limits** linear in the text.
 */
export const scan = (text: string): string => maskWords(maskUsers(maskPem(text)))

const PEM_BEGIN = "-----BEGIN "
const PEM_END = "-----END "
const PEM_DASHES = "-----"

/** Masks PEM blocks. A block without an end extends to the end of the text. */
const maskPem = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  while (true) {
    const begin = text.indexOf(PEM_BEGIN, from)
    if (begin === -1) return pieces.length === 0 ? text : pieces.join("") + text.slice(from)
    pieces.push(text.slice(from, begin), MASK)
    const end = text.indexOf(PEM_END, begin)
    const dashes = end === -1 ? -1 : text.indexOf(PEM_DASHES, end + PEM_END.length)
    if (dashes === -1) return pieces.join("")
    from = dashes + PEM_DASHES.length
  }
}

const AUTHORITY = /[^\s/"']*/y
/** The rest of an address, in which a password may contain a slash. */
const ADDRESS = /[^\s"']*/y
const PORT = /^(?:\[[^\]]*\]|[^:]*)(?::\d{0,5})?$/

/** Masks user and password in addresses. */
const maskUsers = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  while (true) {
    const slashes = text.indexOf("://", from)
    if (slashes === -1) return pieces.length === 0 ? text : pieces.join("") + text.slice(from)
    const start = slashes + 3
    const host = text.slice(start, endOf(AUTHORITY, text, start))
    const address = host.includes("@") || PORT.test(host) ? host : text.slice(start, endOf(ADDRESS, text, start))
    const at = address.lastIndexOf("@")
    pieces.push(text.slice(from, start), at === -1 ? "" : MASK, address.slice(Math.max(at, 0)))
    from = start + address.length
  }
}

const maskWords = (text: string): string => {
  const pieces: Array<string> = []
  let from = 0
  WORD.lastIndex = 0
  for (let found = WORD.exec(text); found !== null; found = WORD.exec(text)) {
    const [word] = found
    const start = found.index
    const end = start + word.length
    pieces.push(text.slice(from, start), isKept(word, text, start) ? word : MASK)
    const value = valueAfter(text, start, end)
    if (value === undefined) {
      from = end
    } else {
      pieces.push(text.slice(end, value.start), MASK)
      from = value.end
    }
    WORD.lastIndex = from
  }
  return pieces.join("") + text.slice(from)
}

/** Number of hexadecimal digits of a digest, by algorithm. **Source** OCI image specification, descriptors. */
const DIGEST: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 }
const CONTAINER_ID = /^\/\/[0-9a-f]{64}$/
const RUNTIME = /(?:containerd|docker|cri-o):$/
/** The beginning of a JSON Web Token: `{"` in base64url. */
const JWT = /^eyJ[\w.-]{9,}$/

const isKept = (word: string, text: string, start: number): boolean => {
  if (word.length < SHORTEST_TOKEN) return !JWT.test(word)
  if (word.startsWith("eyJ")) return false
  if (isName(word)) return true
  const before = text.slice(Math.max(0, start - 12), start)
  if (CONTAINER_ID.test(word)) return RUNTIME.test(before)
  const algorithm = before.slice(-7, -1)
  return before.endsWith(":") && DIGEST[algorithm] === word.length && /^[0-9a-f]+$/.test(word)
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Finds the secret that follows a name. */
const valueAfter = (text: string, start: number, end: number): Span | undefined => {
  const name = lastName(text, start, end)
  const isSecret = SECRET_NAME.test(name)
  if (!isSecret && !SCHEME.test(name)) return undefined
  const equals = endOf(EQUALS, text, end)
  if (isSecret && equals > end) {
    // The word is the last part of an address or path: `Post "https://idp/token": dial tcp`.
    if (text[end - name.length - 1] === "/" && text[equals - 1] === " ") return undefined
    return spanOf(equals, valueEnd(text, equals, name))
  }
  const blanks = endOf(BLANKS, text, end)
  return blanks === end ? undefined : valueAfterBlanks(text, blanks, name)
}

/** Finds the secret after a name followed only by blanks: "token abc123", but not "the token has expired". */
const valueAfterBlanks = (text: string, blanks: number, name: string): Span | undefined => {
  const isPassword = PASSWORD_NAME.test(name)
  const start = endOf(IS, text, blanks)
  if (endOf(QUOTE, text, start) > start) {
    const end = quotedEnd(text, start)
    const isSecret = isPassword || (TOKEN_NAME.test(name) && /\d/.test(text.slice(start, end)))
    return isSecret ? spanOf(start, end) : undefined
  }
  const end = endOf(BARE, text, start)
  const word = text.slice(start, end)
  if (isPassword) return AFTER_PASSWORD.test(word) ? undefined : spanOf(start, end)
  if (SCHEME.test(name)) return AFTER_SCHEME.test(word) ? undefined : spanOf(start, end)
  return /\d/.test(word) && !isObjectName(word, name) ? spanOf(start, end) : undefined
}

/** Returns whether a word is the name of a Kubernetes object: "Secret default/app-v2". */
const isObjectName = (word: string, name: string): boolean =>
  isGenerated(word) || (/^secrets?$/i.test(name) && word.includes("/") && isName(word))

const spanOf = (start: number, end: number): Span | undefined => (end > start ? { start, end } : undefined)

/** Returns the letters, digits and underscores that end a word. */
const lastName = (text: string, start: number, end: number): string => {
  let first = end
  while (first > start && isNameCharacter(text.charCodeAt(first - 1))) first--
  return text.slice(first, end)
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}" }

/** Returns the end of the value that follows a name and `=` or `:`. */
const valueEnd = (text: string, start: number, name: string): number => {
  if (endOf(QUOTE, text, start) > start) return quotedEnd(text, start)
  const closing = CLOSING[text[start] ?? ""]
  if (closing !== undefined) {
    const close = text.indexOf(closing, start)
    return close === -1 ? text.length : close + 1
  }
  const end = endOf(UNQUOTED, text, start)
  const value = text.slice(start, end)
  if (SCHEME.test(value) || TOKEN_NAME.test(value)) return endOf(SCHEME_VALUE, text, end)
  return /cookie/i.test(name) ? pairsEnd(text, end) : end
}

/** Returns the end of the cookies that follow the first one. */
const pairsEnd = (text: string, start: number): number => {
  let end = start
  for (let next = endOf(COOKIE_PAIR, text, end); next > end; next = endOf(COOKIE_PAIR, text, end)) end = next
  return end
}

/** Returns the end of a quoted value. A quote after more backslashes than the opening quote is part of the value. */
const quotedEnd = (text: string, start: number): number => {
  const open = endOf(QUOTE, text, start)
  const quote = text[open - 1] ?? ""
  const slashes = open - 1 - start
  for (let close = text.indexOf(quote, open); close !== -1; close = text.indexOf(quote, close + 1)) {
    let first = close
    while (first > open && text[first - 1] === "\\") first--
    if (close - first <= slashes) return close + 1
  }
  return text.length
}

const endOf = (sticky: RegExp, text: string, at: number): number => {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : at
}
