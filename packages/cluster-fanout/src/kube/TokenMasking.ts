/**
 * Distinguishes names, such as those of Kubernetes objects, from random tokens.
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
/** Unreadable characters of a name beyond as many that are readable: a short commit id. */
const MOST_MIXED = 7

/**
 * The hash of a pod template, the random end of a pod's name, or both; then the end of an event's name.
 *
 * **Source** Kubernetes, `SafeEncodeString` and `generateName`: no vowels, nor 0, 1, 3.
 */
const GENERATED =
  /(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10}(?:-[bcdfghjklmnpqrstvwxz2456789]{5})?|-[bcdfghjklmnpqrstvwxz2456789]{5})(?:\.[0-9a-f]{14,16})?$/
const UUID = /(?<![^-./_])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![^-./_])/g
/** Digits of the largest resource version. */
const NUMBER = /^\d{1,20}$/

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

/** Whether a word is a name that ends in what a controller generated. */
export const isGenerated = (text: string): boolean => GENERATED.test(text) && isName(text)

/**
 * Whether a word is a name, a path, an address, a UID or a number, and not a random token.
 *
 * **Shape** The letters of each part make a word, or the part is short, a number, or a few characters that a controller
 * generated. More characters can be read than cannot.
 *
 * **Example** `gke-prod-pool-1a2b3c4d-x9z8`, but not `as53o-ngoljeZoldIxselAlg`
 */
export const isName = (text: string): boolean => NUMBER.test(text) || isPath(text) || isPodAndNamespace(text)

/** A pod as the kubelet writes it. **Example** `web-7d4b9c6f5d-x2x9k_prod` */
const isPodAndNamespace = (text: string): boolean => {
  const [pod = "", namespace, ...more] = text.split("_", 3)
  return namespace !== undefined && more.length === 0 && DNS_LABEL.test(namespace) && isPath(pod) && isPath(namespace)
}

const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const isPath = (text: string): boolean => {
  const made = text
    .replaceAll(UUID, "")
    .split("/")
    .map((segment) => segment.replace(GENERATED, ""))
    .join("/")
  const parts = made.split(/[-./_@?&*~]/)
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
