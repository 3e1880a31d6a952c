/** Decodes the bytes of one kubeconfig file, and parses its text into named entries. */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { isAbsolute, join } from "node:path"
import * as KubeconfigYaml from "./KubeconfigYaml.ts"

/** The text of one file. **Shape** `path` is absolute; relative paths inside the file are resolved against it. */
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

/** Go reads null as the empty text. */
const TextOrNull = Schema.NullOr(Schema.String).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => text ?? "", encode: (text) => text })
  )
)

export const ExecEntry = Schema.Struct({
  apiVersion: Schema.String,
  command: Schema.String,
  args: Schema.optionalKey(Schema.Array(TextOrNull)),
  env: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(TextOrNull) }))),
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

/** A named entry. An invalid entry carries its error, so that only the contexts that use it are lost. */
export interface Entry<A> {
  readonly file: string
  readonly value: Result.Result<A, string>
}

export interface KubeconfigDocument {
  readonly clusters: ReadonlyMap<string, Entry<ClusterEntry>>
  readonly users: ReadonlyMap<string, Entry<UserEntry>>
  readonly contexts: ReadonlyMap<string, Entry<ContextEntry>>
  readonly currentContext: string | undefined
  /** True if the file contains further YAML documents. kubectl does not read them either. */
  readonly hasMore: boolean
}

/** Limits of a file that the operator configures: some 20,000 contexts. */
const FILE_LIMITS: KubeconfigYaml.YamlLimits = { tokens: 2_000_000, values: 1_000_000, depth: 64 }

const Named = Schema.Struct({ name: Schema.NonEmptyString })
const TopLevel = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literal("Config")),
  clusters: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  users: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  contexts: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  "current-context": Schema.optionalKey(Schema.String)
})

/** Parses one file. The error gives the problem and its position and quotes nothing. **Limits** linear. */
export const parse = (
  file: KubeconfigFile,
  limits: KubeconfigYaml.YamlLimits = FILE_LIMITS
): Result.Result<KubeconfigDocument, string> =>
  Result.gen(function* () {
    if (file.text.trim() === "") return yield* Result.fail("is empty")
    const { hasMore, value } = yield* KubeconfigYaml.parse(file.text, limits)
    const written = dropEmpty(value, 1)
    const top = yield* decode(TopLevel, written)
    if (!isKubeconfig(written)) return yield* Result.fail("is not a kubeconfig: it has no clusters, contexts or users")
    return {
      clusters: yield* entries(file.path, "clusters", top.clusters, "cluster", ClusterEntry),
      users: yield* entries(file.path, "users", top.users, "user", UserEntry),
      contexts: yield* entries(file.path, "contexts", top.contexts, "context", ContextEntry),
      currentContext: top["current-context"],
      hasMore
    }
  })

/** Resolves an entry's path against the folder of the entry's file. */
export const resolvePath = (file: string, path: string): string => (isAbsolute(path) ? path : join(file, "..", path))

const MAX_PRINTED = 128

/** Prints a name in quotes. **Limits** its first 128 characters. */
export const printName = (name: string): string =>
  JSON.stringify(name.length > MAX_PRINTED ? `${name.slice(0, MAX_PRINTED)}…` : name)

/** Decodes a value. The error names the field but not its value, which may be secret. */
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
      : `${SchemaFault.printPath(path.map(keyOf))} is missing or of the wrong type`
  })

const describeIssue = SchemaIssue.makeFormatterStandardSchemaV1()
const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

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
    if (found.has(name)) return Result.fail(`${list} contains the name ${printName(name)} twice`)
    const body = isRecord(item) ? item[field] : undefined
    found.set(name, { file, value: decode(schema, dropEmpty(body ?? {}, 3)) })
  }
  return Result.succeed(found)
}

/** Drops null and "" fields, which Go reads as absent. Deeper levels, such as a plugin's settings, stay unchanged. */
const dropEmpty = (value: unknown, depth: number): unknown => {
  if (depth === 0 || !isRecord(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== "")
  return Object.fromEntries(fields.map(([key, field]) => [key, dropEmpty(field, depth - 1)]))
}

/** Returns whether a value is a kubeconfig. Detects other files early; an empty Config counts as one. */
const isKubeconfig = (value: unknown): boolean =>
  isRecord(value)
  && (value["kind"] === "Config" || Object.keys(TopLevel.fields).some((field) => Object.hasOwn(value, field)))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Encodings identified by a byte order mark. PowerShell writes UTF-16 when output is redirected to a file. */
const MARKS = [
  { mark: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" }
] as const

/**
 * Decodes UTF-8, and UTF-16 with a byte order mark. Removes the mark.
 *
 * **Errors** invalid bytes: replacing a byte could change a credential.
 *
 * **Source** YAML 1.1, "Character Encoding".
 */
export const decodeBytes = (bytes: Uint8Array): Result.Result<string, string> => {
  const found = MARKS.find(({ mark }) => mark.every((byte, place) => bytes[place] === byte))
  const encoding = found?.encoding ?? "utf-8"
  return Result.try({
    try: () => new TextDecoder(encoding, { fatal: true }).decode(bytes),
    catch: () => `is not ${encoding.toUpperCase()} text`
  })
}
