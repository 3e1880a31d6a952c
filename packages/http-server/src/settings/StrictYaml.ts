/**
 * A strict YAML 1.2 parser for configuration files: one document of plain data, each node with its line and column.
 *
 * Rejects what makes a file ambiguous: duplicate keys, keys that are not text, merge keys, anchors, aliases, tags,
 * several documents and directives.
 *
 * **Source** YAML 1.2.2, core schema.
 */
import { Result } from "effect"
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap
} from "yaml"

/** A place in the file. Lines and columns count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A node of the file. **Shape** a scalar has the value that the core schema resolves. */
export type Node =
  | { readonly _tag: "Scalar"; readonly place: Place; readonly value: string | number | boolean | null }
  | { readonly _tag: "List"; readonly place: Place; readonly items: ReadonlyArray<Node> }
  | { readonly _tag: "Mapping"; readonly place: Place; readonly entries: ReadonlyArray<Entry> }

export interface Entry {
  readonly key: string
  readonly place: Place
  readonly value: Node
}

/** A syntax error or a forbidden construct. */
export interface Fault {
  readonly place: Place
  readonly message: string
}

/** Deeper than any configuration file. Keeps the recursion from overflowing the stack. */
const MAX_DEPTH = 32

/**
 * Parses a text.
 *
 * **Errors** all faults in the order of the text, at least one.
 *
 * **Limits** linear; the caller bounds the length. Depth 32.
 */
export const parse = (text: string): Result.Result<Node, ReadonlyArray<Fault>> => {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    strict: true,
    stringKeys: true,
    // The library compares each key of a mapping with all others, which takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
    // "silent" would also hide a second document.
    logLevel: "error",
    lineCounter: lines
  })
  const placeAt = (offset: number): Place => {
    const { col, line } = lines.linePos(offset)
    return { line, column: col }
  }
  const faults = [...syntaxFaults(document), ...forbiddenParts(document)].toSorted((a, b) => a.offset - b.offset)
  if (faults.length > 0) {
    return Result.fail(faults.map(({ message, offset }) => ({ place: placeAt(offset), message })))
  }
  return Result.succeed(toNode(document.contents, placeAt))
}

/** Converts a node to a plain value. */
export const toValue = (node: Node): unknown => {
  switch (node._tag) {
    case "Scalar":
      return node.value
    case "List":
      return node.items.map(toValue)
    case "Mapping":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, toValue(value)]))
  }
}

/** A fault with an offset instead of line and column. */
interface Found {
  readonly offset: number
  readonly message: string
}

const syntaxFaults = (document: Document.Parsed): ReadonlyArray<Found> =>
  [...document.errors, ...document.warnings].flatMap(({ code, message, pos }) => {
    // `forbiddenParts` reports every tag with the same message.
    if (code === "TAG_RESOLVE_FAILED") return []
    return [{ offset: pos[0], message: firstLine(message) }]
  })

const forbiddenParts = (document: Document.Parsed): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  if (
    document.directives.yaml.explicit === true
    || Object.keys(document.directives.tags).some((handle) => handle !== "!!")
  ) {
    found.push({ offset: 0, message: "directives are not allowed" })
  }
  visit(document, {
    Node: (_, node, ancestors) => {
      const offset = node.range?.[0] ?? 0
      if (isAlias(node)) {
        found.push({ offset, message: "aliases are not allowed" })
        return
      }
      if (node.anchor !== undefined) found.push({ offset, message: "anchors are not allowed" })
      if (node.tag !== undefined) found.push({ offset, message: "tags are not allowed" })
      if (isMap(node)) found.push(...repeatedKeys(node))
      if (ancestors.filter(isCollection).length < MAX_DEPTH) return
      found.push({ offset, message: `nests deeper than ${MAX_DEPTH} levels` })
      return visit.BREAK
    },
    Pair: (_, { key }) => {
      // A quoted "<<" is an ordinary key.
      if (isScalar(key) && key.type === "PLAIN" && key.source === "<<") {
        found.push({ offset: key.range?.[0] ?? 0, message: "merge keys are not allowed" })
      }
    }
  })
  return found
}

/** Finds duplicate keys in one map. **Limits** linear. */
const repeatedKeys = ({ items }: YAMLMap): ReadonlyArray<Found> => {
  const keys = new Set<unknown>()
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return []
    if (keys.has(key.value)) return [{ offset: key.range?.[0] ?? 0, message: "duplicate key" }]
    keys.add(key.value)
    return []
  })
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? text

const toNode = (
  part: ParsedNode | null,
  placeAt: (offset: number) => Place,
  above: Place = { line: 1, column: 1 }
): Node => {
  const place = part === null ? above : placeAt(part.range[0])
  if (isMap(part)) {
    const entries = part.items.map(({ key, value }) => {
      const keyPlace = placeAt(key.range[0])
      return { key: textOf(key), place: keyPlace, value: toNode(value, placeAt, keyPlace) }
    })
    return { _tag: "Mapping", place, entries }
  }
  if (isSeq(part)) return { _tag: "List", place, items: part.items.map((item) => toNode(item, placeAt, place)) }
  return { _tag: "Scalar", place, value: scalarOf(part) }
}

/** Returns the text of a key. With `stringKeys`, the parser rejects any other key. */
const textOf = (key: ParsedNode): string => (isScalar(key) && typeof key.value === "string" ? key.value : "")

const scalarOf = (part: ParsedNode | null): string | number | boolean | null => {
  if (!isScalar(part)) return null
  const { value } = part
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}
