/**
 * Reads the query of a list request in one step.
 */
import { Option, Schema } from "effect"

/**
 * Makes the reader of these parameters: undefined for a query that the ordinary way refuses, or may read in another way.
 *
 * **Limits** takes only queries of `name=value` in unreserved characters and percent-encoded UTF-8: how readers of queries
 * treat other ones (`+`, a second `?`, a name without value) differs.
 */
export const reader = <Query>(query: Schema.Decoder<Query>): ((url: string) => Query | undefined) => {
  const decode = Schema.decodeUnknownOption(Schema.toCodecArrayFromSingle(query), { onExcessProperty: "error" })
  return (url) => {
    const parameters = parametersOf(url)
    return parameters === undefined ? undefined : Option.getOrUndefined(decode(parameters))
  }
}

const PLAIN = /^(?:[A-Za-z]+=[A-Za-z0-9._~/%-]+(?:&(?!$)|$))*$/

const parametersOf = (url: string): Readonly<Record<string, string | ReadonlyArray<string>>> | undefined => {
  const start = url.indexOf("?")
  if (start === -1) return {}
  const query = url.slice(start + 1)
  if (!PLAIN.test(query)) return undefined
  const values = new Map<string, string | Array<string>>()
  for (const pair of query === "" ? [] : query.split("&")) {
    const [name = "", encoded = ""] = pair.split("=")
    const value = decoded(encoded)
    if (value === undefined) return undefined
    const before = values.get(name)
    if (before === undefined) values.set(name, value)
    else if (typeof before === "string") values.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(values)
}

const decoded = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
