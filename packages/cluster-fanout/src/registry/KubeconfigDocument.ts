/** Reads one kubeconfig file's text into its named entries, and merges several files as kubectl does. */
import { Option, Result, Schema, SchemaIssue } from "effect"
import { isAbsolute, join } from "node:path"
import { type Document, isScalar, LineCounter, parseDocument, visit, type YAMLError } from "yaml"

/** The text of one file. **Shape** `path` is absolute: relative paths inside the file are resolved against it. */
export interface KubeconfigFile {
  readonly path: string
  readonly text: string
}

const Extension = Schema.Struct({ name: Schema.String, extension: Schema.Unknown })

export const ClusterEntry = Schema.Struct({
  server: Schema.String,
  "certificate-authority": Schema.optionalKey(Schema.String),
  "certificate-authority-data": Schema.optionalKey(Schema.String),
  "tls-server-name": Schema.optionalKey(Schema.String),
  "insecure-skip-tls-verify": Schema.optionalKey(Schema.Boolean),
  "proxy-url": Schema.optionalKey(Schema.String),
  extensions: Schema.optionalKey(Schema.Array(Extension))
})
export type ClusterEntry = typeof ClusterEntry.Type

export const ExecEntry = Schema.Struct({
  apiVersion: Schema.String,
  command: Schema.String,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(Schema.String) }))
  ),
  installHint: Schema.optionalKey(Schema.String),
  provideClusterInfo: Schema.optionalKey(Schema.Boolean),
  interactiveMode: Schema.optionalKey(Schema.Literals(["Never", "IfAvailable", "Always"]))
})
export type ExecEntry = typeof ExecEntry.Type

export const UserEntry = Schema.Struct({
  token: Schema.optionalKey(Schema.String),
  tokenFile: Schema.optionalKey(Schema.String),
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String),
  "client-certificate": Schema.optionalKey(Schema.String),
  "client-certificate-data": Schema.optionalKey(Schema.String),
  "client-key": Schema.optionalKey(Schema.String),
  "client-key-data": Schema.optionalKey(Schema.String),
  exec: Schema.optionalKey(ExecEntry),
  "auth-provider": Schema.optionalKey(Schema.Unknown),
  as: Schema.optionalKey(Schema.String),
  "as-uid": Schema.optionalKey(Schema.String),
  "as-groups": Schema.optionalKey(Schema.Array(Schema.String)),
  "as-user-extra": Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
})
export type UserEntry = typeof UserEntry.Type

const ContextEntry = Schema.Struct({ cluster: Schema.String, user: Schema.optionalKey(Schema.String) })
export type ContextEntry = typeof ContextEntry.Type

/** An entry that did not read carries why, so that only the contexts that need it are lost. */
export interface Entry<A> {
  readonly file: string
  readonly value: Result.Result<A, string>
}

export interface KubeconfigDocument {
  readonly clusters: ReadonlyMap<string, Entry<ClusterEntry>>
  readonly users: ReadonlyMap<string, Entry<UserEntry>>
  readonly contexts: ReadonlyMap<string, Entry<ContextEntry>>
  readonly currentContext: string | undefined
}

const EMPTY: KubeconfigDocument = {
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: undefined
}

const Named = Schema.Struct({ name: Schema.NonEmptyString })
const TopLevel = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literal("Config")),
  clusters: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  users: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  contexts: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  "current-context": Schema.optionalKey(Schema.String)
})

/** Reads one file; the failure says what is wrong and where, and quotes nothing of the file. */
export const parse = (file: KubeconfigFile): Result.Result<KubeconfigDocument, string> =>
  Result.gen(function* () {
    const written = dropEmpty(yield* parseYaml(file.text), 1)
    const top = yield* decode(TopLevel, written)
    if (!isKubeconfig(written)) return yield* Result.fail("is not a kubeconfig: it has no clusters, contexts or users")
    return {
      clusters: yield* entries(file.path, "clusters", top.clusters, "cluster", ClusterEntry),
      users: yield* entries(file.path, "users", top.users, "user", UserEntry),
      contexts: yield* entries(file.path, "contexts", top.contexts, "context", ContextEntry),
      currentContext: top["current-context"]
    }
  })

/**
 * Merges files: of entries with one name, the first file's counts whole.
 *
 * **Source** Kubernetes, "Merging kubeconfig files".
 */
export const merge = (documents: ReadonlyArray<KubeconfigDocument>): KubeconfigDocument =>
  documents.reduceRight(
    (later, earlier) => ({
      clusters: new Map([...later.clusters, ...earlier.clusters]),
      users: new Map([...later.users, ...earlier.users]),
      contexts: inOrder(earlier.contexts, later.contexts),
      currentContext: earlier.currentContext ?? later.currentContext
    }),
    EMPTY
  )

/** Resolves a path that an entry names against the folder of the entry's file. */
export const resolvePath = (file: string, path: string): string => (isAbsolute(path) ? path : join(file, "..", path))

/** Decodes; the failure names the field and never its value, which may be a secret. */
const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: unknown
): Result.Result<S["Type"], string> =>
  Result.mapError(Schema.decodeUnknownResult(schema)(value), (error) => {
    const issue = Option.fromUndefinedOr(describeIssue(error.issue).issues[0])
    const path = Option.getOrElse(
      Option.flatMapNullishOr(issue, (first) => first.path),
      () => []
    )
    return path.length === 0
      ? "is not a mapping of the expected shape"
      : `${path.map(print).join(".")} is missing or of the wrong type`
  })

const describeIssue = SchemaIssue.makeFormatterStandardSchemaV1()
const print = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

const parseYaml = (text: string): Result.Result<unknown, string> => {
  if (text.trim() === "") return Result.fail("is empty")
  const lines = new LineCounter()
  // Pretty errors quote the line, and the line may be a token.
  // The library compares each key of a mapping with all others: of a text that a stranger wrote that takes too long.
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines, uniqueKeys: false })
  const error = document.errors[0] ?? repeatedKey(document)
  if (error !== undefined) {
    const { col, line } = lines.linePos(error.pos[0])
    return Result.fail(`is not YAML: ${error.code} at line ${line}, column ${col}`)
  }
  return Result.try({ try: (): unknown => document.toJS(), catch: () => "is not YAML: its aliases do not resolve" })
}

/** Finds a key that a mapping has twice. **Limits** linear in the document. */
const repeatedKey = (document: Document.Parsed): Pick<YAMLError, "code" | "pos"> | undefined => {
  let found: Pick<YAMLError, "code" | "pos"> | undefined
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) {
          found = { code: "DUPLICATE_KEY", pos: [key.range?.[0] ?? 0, key.range?.[1] ?? 0] }
          return visit.BREAK
        }
        keys.add(key.value)
      }
      return undefined
    }
  })
  return found
}

const entries = <S extends Schema.ConstraintDecoder<unknown>>(
  file: string,
  list: string,
  raw: ReadonlyArray<unknown> | undefined,
  field: string,
  schema: S
): Result.Result<ReadonlyMap<string, Entry<S["Type"]>>, string> => {
  const found = new Map<string, Entry<S["Type"]>>()
  for (const [index, item] of (raw ?? []).entries()) {
    const named = decode(Named, item)
    if (Result.isFailure(named)) return Result.fail(`${list}.${index}.name is missing or of the wrong type`)
    const { name } = named.success
    if (found.has(name)) return Result.fail(`${list} has the name ${JSON.stringify(name)} twice`)
    const body = isRecord(item) ? item[field] : undefined
    found.set(name, { file, value: decode(schema, dropEmpty(body ?? {}, 3)) })
  }
  return Result.succeed(found)
}

/** Go reads an absent field, null and "" alike; what lies deeper (a plugin's own settings) stays as written. */
const dropEmpty = (value: unknown, depth: number): unknown => {
  if (depth === 0 || !isRecord(value)) return value
  const kept = Object.entries(value).filter(([, field]) => field !== null && field !== "")
  return Object.fromEntries(kept.map(([key, field]) => [key, dropEmpty(field, depth - 1)]))
}

/** A file of another kind would only be missed as an unknown context; an empty Config is one all the same. */
const isKubeconfig = (value: unknown): boolean =>
  isRecord(value)
  && (value["kind"] === "Config" || Object.keys(TopLevel.fields).some((field) => Object.hasOwn(value, field)))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first file's contexts come first, and so win a name that two contexts give. */
const inOrder = <A>(earlier: ReadonlyMap<string, A>, later: ReadonlyMap<string, A>): ReadonlyMap<string, A> =>
  new Map([...earlier, ...[...later].filter(([name]) => !earlier.has(name))])
