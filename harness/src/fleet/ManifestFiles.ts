/** Reads manifests from files, as kubectl does. */
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join } from "node:path"
import { Effect, Result, Schema } from "effect"
import { type Document, parseAllDocuments, type ScalarTag } from "yaml"
import { KubeObject } from "../client/KubeObject.ts"
import { ManifestUnreadable } from "./ManifestError.ts"

/** An object, and where it stands. **Shape** `document` counts from 1; the items of a list share theirs. */
export interface Manifest {
  readonly file: string
  readonly document: number
  readonly object: KubeObject
}

const EXTENSIONS = new Set([".json", ".yaml", ".yml"])

/** A list, whatever its items are of: `List`, `ConfigMapList`. */
const ListShape = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String.check(Schema.isEndingWith("List")),
  items: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
})
const decodeList = Schema.decodeUnknownResult(ListShape)
const decodeObject = Schema.decodeUnknownResult(KubeObject)

/**
 * Reads every object of some files.
 *
 * A directory stands for its `.yaml`, `.yml` and `.json` files by name, not for those of directories in it.
 * Files may hold several documents, empty ones among them, and lists, whose items are taken one by one. Numbers with a
 * leading zero are octal, and `yes` and `on` are true, as kubectl reads them.
 *
 * **Errors** `ManifestUnreadable` for the first file or document that is no manifest.
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
  for (const [index, one] of parsed.entries()) {
    const document = index + 1
    const fail = (problem: string) => Effect.fail(new ManifestUnreadable({ file, document, problem }))
    const [fault] = one.errors
    if (fault !== undefined) return yield* fail(fault.message)
    const value = Result.try((): unknown => one.toJS())
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

/** The objects of a document: none, itself, or the items of a list. **Errors** what is wrong, as a sentence. */
export const objectsIn = (value: unknown): Result.Result<ReadonlyArray<KubeObject>, string> => {
  if (value === null || value === undefined) return Result.succeed([])
  const list = decodeList(value)
  if (Result.isFailure(list)) {
    return decodeObject(value).pipe(
      Result.map((object) => [object]),
      Result.mapError(({ message }) => `it is no object of Kubernetes: ${message}`)
    )
  }
  const { apiVersion, items, kind } = list.success
  // Items of a list of one kind may leave out what the list says already.
  const implied = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) }
  const found: Array<KubeObject> = []
  for (const [index, item] of items.entries()) {
    const objects = objectsIn({ ...implied, ...item })
    if (Result.isFailure(objects)) return Result.fail(`item ${index + 1} of its list: ${objects.failure}`)
    found.push(...objects.success)
  }
  return Result.succeed(found)
}

/** What kubectl's YAML knows beyond the core schema of YAML 1.2. */
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
