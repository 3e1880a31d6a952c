/**
 * Tells the names of things from what nobody could read aloud, as random tokens are.
 */

/**
 * What follows each letter in most words of English and of Kubernetes: nineteen in twenty of their pairs stand here, and a
 * third of those of random letters.
 */
const FOLLOWERS: Readonly<Record<string, string>> = {
  a: "bcdgiklmnprstuvy",
  b: "aelou",
  c: "aehiklortu",
  d: "adeiorsuy",
  e: "acdefgilmnpqrstvwxy",
  f: "aefiloru",
  g: "aehirs",
  h: "aeiot",
  i: "abcdefglmnorstv",
  j: "e",
  k: "eisu",
  l: "adeilostuy",
  m: "aeimops",
  n: "acdefginostu",
  o: "abcdfgklmnoprstuvw",
  p: "aeiloprstu",
  q: "u",
  r: "acdegikmnorstuvy",
  s: "acehiopstu",
  t: "acehiorstuy",
  u: "abceilmnprst",
  v: "aei",
  w: "aehinors",
  x: "pt",
  y: "ps"
}

const PAIRS: ReadonlySet<string> = new Set(
  Object.entries(FOLLOWERS).flatMap(([first, followers]) => Array.from(followers, (next) => first + next))
)

/** Tells whether so many of the pairs of letters are common, as a fraction. */
const isReadable = (letters: string, [some, all]: readonly [number, number]): boolean => {
  const lower = letters.toLowerCase()
  const pairs = lower.length - 1
  let common = 0
  for (let at = 0; at < pairs; at++) if (PAIRS.has(lower.slice(at, at + 2))) common++
  return common * all >= pairs * some
}

/** Random letters and digits of more characters are of no name. **Example** the longest of `web-7d4b9c6f5d-x2x9k` has 10. */
const LONGEST_MIXED = 15
/** What may not be read of a name, beyond as much that may. */
const MOST_MIXED = 5

/** What controllers put behind a name. **Source** Kubernetes, `SafeEncodeString` and `generateName`: no vowels, nor 0, 1, 3. */
const GENERATED = /(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/
const UUID = /(?<![^-./_])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![^-./_])/g

/** Letters of one case; a number may follow. */
const PLAIN = /^(?:[a-z]+|[A-Z]+)(?=[0-9]{0,5}$)/
/** Words of which each but the first begins with a capital, four letters to a word on the average. */
const CAMEL = /^[a-z]{0,15}(?:[A-Z][a-z]{1,15})+$/
const LETTERS_A_CAPITAL = 4

/** What is the least that is common in names which are in use: `rabbitmqclusters`, `SelfSubjectAccessReview`. */
const COMMON_IN_PLAIN = [2, 3] as const
const COMMON_IN_CAMEL = [3, 4] as const

const isWord = (part: string): boolean => {
  const [plain] = PLAIN.exec(part) ?? []
  if (plain !== undefined) return isReadable(plain, COMMON_IN_PLAIN)
  const capitals = part.match(/[A-Z]/g)?.length ?? 0
  return CAMEL.test(part) && capitals * LETTERS_A_CAPITAL <= part.length && isReadable(part, COMMON_IN_CAMEL)
}

/** Capitals alone, or none but those that begin a word; `-` or `_` between words, but not both, and no two signs. */
const isOneStyle = (parts: ReadonlyArray<string>, text: string): boolean =>
  !(parts.some((part) => /^[A-Z0-9]*[A-Z][A-Z0-9]*$/.test(part)) && /[a-z]/.test(text))
  && !(text.includes("-") && text.includes("_"))
  && !/[a-z0-9][-._@?&*]{2,}[a-z0-9]/i.test(text)

/**
 * Tells a name of several parts, a path or an address from a token.
 *
 * **Shape** of each part the letters make a word, or it is short, a number, or a few characters that a controller made up; what
 * can be read is more than what cannot.
 *
 * **Example** `gke-prod-pool-1a2b3c4d-x9z8`, but not `as53o-ngoljeZoldIxselAlg`
 */
export const isName = (text: string): boolean => {
  const made = text.replaceAll(UUID, "").replace(GENERATED, "")
  const parts = made.split(/[-./_@?&*]/)
  if (!isOneStyle(parts, made)) return false
  let read = 0
  let mixed = 0
  for (const part of parts) {
    if (/^(?:[a-z0-9]{0,3}|[A-Z0-9]{0,3}|[A-Z][a-z]{1,2}|[0-9]{1,15})$/.test(part)) continue
    if (isWord(part)) read += part.length
    else if (part.length <= LONGEST_MIXED && /^(?:[a-z0-9]+|[A-Z]+[0-9]{0,5})$/.test(part)) mixed += part.length
    else return false
  }
  return mixed <= read + MOST_MIXED
}
