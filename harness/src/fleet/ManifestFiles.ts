/** Reads manifests from files in the same way as kubectl. */
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join } from "node:path"
import { Effect, Result, Schema } from "effect"
import { type Document, parseAllDocuments, type ScalarTag } from "yaml"
import { KubeObject } from "../client/KubeObject.ts"

/** An object and its origin. **Shape** `document` counts from 1; the items of a list share their document's number. */
export interface Manifest {
  readonly file: string
  readonly document: number
  readonly object: KubeObject
}

/**
 * A file, or a document in it, is not a valid manifest.
 *
 * **Shape** `document` counts from 1, and is absent if the error concerns the whole file.
 */
export class ManifestUnreadable extends Schema.TaggedError<ManifestUnreadable>()("ManifestUnreadable", {
  file: Schema.String,
  document: Schema.optionalKey(Schema.Natural),
  problem: Schema.String
}) {
  override get message(): string {
    return `${placeOf(this.file, this.document)}: ${this.problem}`
  }
}

/** Formats a position in a file: `app.yaml, document 2`. */
export const placeOf = (file: string, document: number | undefined): string =>
  document === undefined ? file : `${file}, document ${document}`

const EXTENSIONS = new Set([".json", ".yaml", ".yml"])

/** A list of any kind: `List`, `ConfigMapList`. */
const ListShape = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String.check(Schema.isEndingWith("List")),
  items: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
})
const decodeList = Schema.decodeUnknownResult(ListShape)
const decodeObject = Schema.decodeUnknownResult(KubeObject)

/**
 * Reads every object of the given files.
 *
 * For a directory it reads the `.yaml`, `.yml` and `.json` files in the order of their names, without subdirectories. A
 * file may contain several documents, empty documents and lists, whose items count as single objects. As in kubectl,
 * numbers with a leading zero are octal, and `yes` and `on` are true.
 *
 * **Errors** `ManifestUnreadable` for the first file or document that is not a manifest.
 *
 * **Source** sigs.k8s.io/yaml v1.6, `goyaml.v2/resolve.go`.
 */
export const load = Effect.fn("Manifests.load")(function* (
  paths: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<Manifest>, ManifestUnreadable> {
  const files = (yield* Effect.forEach(paths, filesAt)).flat()
  return (yield* Effect.forEach(files, manifestsIn)).flat()
})

const filesAt = (path: string): Effect.Effect<ReadonlyArray<string>, ManifestUnreadable> =>
  Effect.tryPromise({
    try: async () => {
      if (!(await stat(path)).isDirectory()) return [path]
      const names = (await readdir(path)).filter((name) => EXTENSIONS.has(extname(name)))
      return names.toSorted((left, right) => (left < right ? -1 : 1)).map((name) => join(path, name))
    },
    catch: (cause) => unreadable(path, cause)
  })

const manifestsIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => unreadable(file, cause)
  })
  const parsed = parse(text)
  const found: Array<Manifest> = []
  for (const [index, parsedDocument] of parsed.entries()) {
    const document = index + 1
    const fail = (problem: string) => Effect.fail(new ManifestUnreadable({ file, document, problem }))
    const [parseError] = parsedDocument.errors
    if (parseError !== undefined) return yield* fail(parseError.message)
    const value = Result.try((): unknown => parsedDocument.toJS())
    if (Result.isFailure(value)) return yield* fail(String(value.failure))
    const objects = objectsIn(value.success)
    if (Result.isFailure(objects)) return yield* fail(objects.failure)
    found.push(...objects.success.map((object) => ({ file, document, object })))
  }
  return found
})

const parse = (text: string): ReadonlyArray<Document> => {
  const documents = parseAllDocuments(text, { customTags: (tags) => [...KUBECTL, ...tags], merge: true })
  return "empty" in documents ? [] : documents
}

/**
 * Returns the objects of a document: none, the document itself, or the items of a list. **Errors** a sentence that
 * describes the problem.
 */
export const objectsIn = (value: unknown): Result.Result<ReadonlyArray<KubeObject>, string> => {
  if (value === null || value === undefined) return Result.succeed([])
  const list = decodeList(value)
  if (Result.isFailure(list)) {
    return decodeObject(value).pipe(
      Result.map((object) => [object]),
      Result.mapError(({ message }) => `not a Kubernetes object: ${message}`)
    )
  }
  const { apiVersion, items, kind } = list.success
  // Items of a list of one kind may omit the kind, which follows from the list's kind.
  const implied = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) }
  const found: Array<KubeObject> = []
  for (const [index, item] of items.entries()) {
    const objects = objectsIn({ ...implied, ...item })
    if (Result.isFailure(objects)) return Result.fail(`item ${index + 1} of the list: ${objects.failure}`)
    found.push(...objects.success)
  }
  return Result.succeed(found)
}

/** Scalars that kubectl's YAML parser accepts in addition to the core schema of YAML 1.2. */
const KUBECTL: ReadonlyArray<ScalarTag> = [
  {
    tag: "tag:yaml.org,2002:int",
    default: true,
    test: /^[-+]?0[0-7]+$/,
    resolve: (text) => Number.parseInt(text, 8)
  },
  {
    tag: "tag:yaml.org,2002:bool",
    default: true,
    test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
    resolve: (text) => /^(?:y|on)/i.test(text)
  }
]

const unreadable = (file: string, cause: unknown): ManifestUnreadable =>
  new ManifestUnreadable({ file, problem: cause instanceof Error ? cause.message : String(cause) })
