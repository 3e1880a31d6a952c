/**
 * Synchronous, cached decoder of the query of a list request.
 */
import { Cursor } from "@quarterdeck/contract/ListParameters"
import { Option, Schema } from "effect"

/** Maximum number of cached queries, each without its cursor. A full cache is cleared. */
const MOST = 4_096
/** Longest query that is cached. */
const MOST_CHARACTERS = 512

export interface HotQuery<Query> {
  /** Reads the query of a URL. Undefined if the normal path would refuse the query or could read it differently. */
  readonly read: (url: string) => (Query & { readonly cursor?: string }) | undefined
  /** Clears the cache, because a query may contain text that should not stay in memory. */
  readonly forget: () => void
}

const isCursor = Schema.is(Cursor)

/**
 * Makes the reader of a query schema.
 *
 * Consecutive pages differ only in their cursor, so the rest of the query is decoded once and cached.
 *
 * **Limits** accepts only `name=value` pairs in unreserved characters and percent-encoded UTF-8. Query parsers differ on
 * other input, such as `+`, a second `?` or a name without a value.
 */
export const reader = <Query extends object>(query: Schema.Decoder<Query>): HotQuery<Query> => {
  const decode = Schema.decodeUnknownOption(Schema.toCodecArrayFromSingle(query), { onExcessProperty: "error" })
  const known = new Map<string, Query>()
  const decoded = (text: string): Query | undefined => {
    const before = known.get(text)
    if (before !== undefined) return before
    const parameters = parametersOf(text)
    const made = parameters === undefined ? undefined : Option.getOrUndefined(decode(parameters))
    if (made === undefined || text.length > MOST_CHARACTERS) return made
    if (known.size >= MOST) known.clear()
    known.set(text, made)
    return made
  }
  const read: HotQuery<Query>["read"] = (url) => {
    const start = url.indexOf("?")
    const text = start === -1 ? "" : url.slice(start + 1)
    const end = text.lastIndexOf(CURSOR)
    const cursor = end === -1 ? "" : text.slice(end + CURSOR.length)
    if (!isCursor(cursor)) return decoded(text)
    const rest = decoded(text.slice(0, end))
    // The normal path refuses a repeated cursor.
    return rest === undefined || "cursor" in rest ? undefined : { ...rest, cursor }
  }
  return { read, forget: () => known.clear() }
}

const CURSOR = "&cursor="

const PLAIN = /^(?:[A-Za-z]+=[A-Za-z0-9._~/%-]+(?:&(?!$)|$))*$/

const parametersOf = (query: string): Readonly<Record<string, string | ReadonlyArray<string>>> | undefined => {
  if (!PLAIN.test(query)) return undefined
  const values = new Map<string, string | Array<string>>()
  for (const pair of query === "" ? [] : query.split("&")) {
    const [name = "", encoded = ""] = pair.split("=")
    const value = percentDecoded(encoded)
    if (value === undefined) return undefined
    const before = values.get(name)
    if (before === undefined) values.set(name, value)
    else if (typeof before === "string") values.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(values)
}

const percentDecoded = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
