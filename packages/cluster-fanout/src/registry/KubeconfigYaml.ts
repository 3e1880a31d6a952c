/**
 * Parses the YAML of a kubeconfig into plain values, as kubectl does.
 *
 * **Shape** merge keys as in YAML 1.1; only the first document. `yes`, `on` and similar words are booleans in boolean
 * fields and text elsewhere; `1_000` is text. kubectl rejects such words in text fields, but writers of YAML 1.2 leave
 * them unquoted.
 *
 * **Source** go-yaml v2, which client-go uses through `sigs.k8s.io/yaml`.
 */
import { Result } from "effect"
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type ParsedNode,
  type Scalar,
  type YAMLMap
} from "yaml"

/**
 * Limits of one text.
 *
 * **Units** lexical tokens of the text; values after aliases and merge keys are expanded; levels of nesting.
 */
export interface YamlLimits {
  readonly tokens: number
  readonly values: number
  readonly depth: number
}

/** The first document. **Shape** `hasMore` if other documents with content follow. They are not read. */
export interface YamlText {
  readonly value: unknown
  readonly hasMore: boolean
}

/**
 * Parses a text.
 *
 * **Errors** the first problem with its line and column. It quotes nothing of the text, which may be secret.
 *
 * **Limits** linear in the text. Stops at the first token, value or level over a limit.
 */
export const parse = (text: string, limits: YamlLimits): Result.Result<YamlText, string> => {
  const read = tokensOf(text, limits)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { rest, tokens } = read.success
  const [document] = new Composer({
    // Pretty errors quote the line, which may contain a token.
    prettyErrors: false,
    // The library compares each key of a mapping with all others, which takes quadratic time.
    uniqueKeys: false,
    schema: "failsafe",
    logLevel: "error"
  }).compose(tokens, true, text.length)
  const hasMore = hasContent(rest)
  if (document === undefined) return Result.succeed({ value: null, hasMore })
  const [error] = document.errors
  if (error !== undefined) return Result.fail(`is not YAML: ${error.code} at ${placeOf(text, error.pos[0])}`)
  return Result.map(new Expansion(text, limits).expand(document), (value) => ({ value, hasMore }))
}

interface FirstDocument {
  readonly tokens: ReadonlyArray<CST.Token>
  /** The text after the document. */
  readonly rest: string
}

/** Tokenises the first document. The composer is recursive, so the depth is limited here. */
const tokensOf = (text: string, limits: YamlLimits): Result.Result<FirstDocument, string> => {
  const tokens: Array<CST.Token> = []
  const parser = new Parser()
  let count = 0
  let hasDocument = false
  for (const lexeme of new Lexer().lex(text)) {
    count++
    if (count > limits.tokens) return Result.fail(`has more than ${limits.tokens} YAML tokens`)
    for (const token of parser.next(lexeme)) {
      tokens.push(token)
      hasDocument ||= token.type === "document"
    }
    if (hasDocument) return Result.succeed({ tokens, rest: text.slice(parser.offset) })
    if (parser.stack.length > limits.depth) {
      return Result.fail(`nests deeper than ${limits.depth} levels at ${placeOf(text, parser.offset)}`)
    }
  }
  for (const token of parser.end()) tokens.push(token)
  return Result.succeed({ tokens, rest: "" })
}

/** Returns whether a text contains more than blanks, comments and document markers. */
const hasContent = (text: string): boolean =>
  text.split("\n").some((line) => {
    const content = line.trim()
    return content !== "" && content !== "---" && content !== "..." && !content.startsWith("#")
  })

const placeOf = (text: string, offset: number): string => {
  let line = 1
  let start = 0
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++
    start = end + 1
  }
  return `line ${line}, column ${offset - start + 1}`
}

/** A value with its size after aliases are expanded. */
interface Expanded {
  readonly value: unknown
  readonly values: number
  readonly depth: number
  /** The boolean that a plain word stands for in YAML 1.1. */
  readonly boolean?: boolean
  /** The members of a mapping, which a merge key copies. */
  readonly members?: ReadonlyMap<string, Expanded>
}

class Refused extends Error {
  readonly offset: number
  constructor(problem: string, offset: number) {
    super(problem)
    this.offset = offset
  }
}

/** Expands one document. An alias shares the value of its anchor but counts each time towards the limits. */
class Expansion {
  readonly #text: string
  readonly #limits: YamlLimits
  /** Values by anchor; `undefined` while the anchor's own node is being read. */
  readonly #anchors = new Map<string, Expanded | undefined>()
  #merged = 0

  constructor(text: string, limits: YamlLimits) {
    this.#text = text
    this.#limits = limits
  }

  expand(document: Document.Parsed): Result.Result<unknown, string> {
    return Result.try({
      try: () => this.#node(document.contents).value,
      catch: (thrown) => {
        if (!(thrown instanceof Refused)) throw thrown
        return `${thrown.message} at ${placeOf(this.#text, thrown.offset)}`
      }
    })
  }

  #node(node: ParsedNode | null): Expanded {
    if (node === null) return NOTHING
    if (isAlias(node)) {
      const found = this.#anchors.get(node.source)
      if (found === undefined) throw new Refused("is not YAML: an alias does not resolve", offsetOf(node))
      return found
    }
    const { anchor } = node
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
    const expanded = this.#bounded(this.#content(node), node)
    if (anchor !== undefined) this.#anchors.set(anchor, expanded)
    return expanded
  }

  #content(node: ParsedNode): Expanded {
    if (isMap(node)) return this.#mapping(node)
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item))
      return { value: items.map(({ value }) => value), ...weightOf(items) }
    }
    return isScalar(node) ? { ...NOTHING, ...scalarOf(node) } : NOTHING
  }

  /** Follows the order of the text: a merge key overwrites earlier keys, and a later key overwrites merged ones. */
  #mapping(node: YAMLMap.Parsed): Expanded {
    const members = new Map<string, Expanded>()
    const names = new Set<string>()
    for (const { key, value } of node.items) {
      if (!isScalar(key)) throw new Refused("is not YAML: a key is not text", offsetOf(node))
      if (key.type === "PLAIN" && key.source === "<<" && key.tag === undefined) {
        for (const [name, member] of this.#mergedBy(value, node)) members.set(name, member)
        continue
      }
      const name = key.source ?? ""
      if (names.has(name)) throw new Refused("is not YAML: DUPLICATE_KEY", offsetOf(key))
      names.add(name)
      members.set(name, this.#node(value))
    }
    const value = Object.fromEntries(
      [...members].map(([name, member]) => [name, (BOOLEANS.has(name) ? member.boolean : undefined) ?? member.value])
    )
    return { value, members, ...weightOf([...members.values()]) }
  }

  #mergedBy(value: ParsedNode | null, holder: ParsedNode): Array<readonly [string, Expanded]> {
    // If a merge key lists several mappings, the earlier one wins.
    const sources = isSeq(value) ? value.items.map((item) => this.#node(item)).toReversed() : [this.#node(value)]
    return sources.flatMap(({ members }) => {
      if (members === undefined) throw new Refused("is not YAML: a merge key (<<) takes mappings", offsetOf(holder))
      this.#merged += members.size
      if (this.#merged > this.#limits.values) throw this.#tooMany(holder)
      return [...members]
    })
  }

  #bounded(expanded: Expanded, node: ParsedNode): Expanded {
    if (expanded.values > this.#limits.values) throw this.#tooMany(node)
    if (expanded.depth <= this.#limits.depth) return expanded
    throw new Refused(`nests deeper than ${this.#limits.depth} levels`, offsetOf(node))
  }

  #tooMany(node: ParsedNode): Refused {
    return new Refused(`has more than ${this.#limits.values} values once its aliases are expanded`, offsetOf(node))
  }
}

const NOTHING: Expanded = { value: null, values: 1, depth: 0 }

const offsetOf = (node: { readonly range?: readonly [number, number, number] | null }): number => node.range?.[0] ?? 0

const weightOf = (parts: ReadonlyArray<Expanded>): Pick<Expanded, "depth" | "values"> => ({
  values: parts.reduce((sum, { values }) => sum + values, 1),
  depth: parts.reduce((deepest, { depth }) => Math.max(deepest, depth), 0) + 1
})

/** The boolean fields of a kubeconfig. */
const BOOLEANS: ReadonlySet<string> = new Set(["insecure-skip-tls-verify", "provideClusterInfo"])

const TRUE: ReadonlySet<string> = new Set(["true", "True", "TRUE"])
const FALSE: ReadonlySet<string> = new Set(["false", "False", "FALSE"])
/** Words that are booleans only in YAML 1.1. */
const YES: ReadonlySet<string> = new Set(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
const NO: ReadonlySet<string> = new Set(["n", "N", "no", "No", "NO", "off", "Off", "OFF"])
const NULL: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"])
/** Longer than any number; spares the patterns below very long texts. */
const MAX_NUMBER = 64
const INTEGER = /^[-+]?(?:0b[01]+|0o[0-7]+|0x[0-9a-fA-F]+|[0-9]+)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const BINARY = "tag:yaml.org,2002:binary"
const CORE = "tag:yaml.org,2002:"

const scalarOf = ({ source, tag, type }: Scalar.Parsed): Pick<Expanded, "boolean" | "value"> => {
  if (tag === BINARY) return { value: Buffer.from(source, "base64").toString("utf8") }
  const isText = tag === undefined ? type !== "PLAIN" : tag === `${CORE}str` || !tag.startsWith(CORE)
  if (isText) return { value: source }
  return {
    value: resolved(source),
    ...(YES.has(source) && { boolean: true }),
    ...(NO.has(source) && { boolean: false })
  }
}

/** Resolves a plain scalar. Dates stay text. */
const resolved = (text: string): unknown => {
  if (NULL.has(text)) return null
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  if (text.length > MAX_NUMBER) return text
  if (!INTEGER.test(text) && !FLOAT.test(text)) return text
  return text.startsWith("-") ? -Number(text.slice(1)) : Number(text.startsWith("+") ? text.slice(1) : text)
}
