/**
 * The target that a request asks for, before the key's scope is applied.
 */
import { Option, Result, Schema } from "effect"
import * as ClusterName from "./ClusterName.ts"
import * as HistoryName from "./HistoryName.ts"
import { EmptyClusterList, InvalidTarget } from "./TargetError.ts"

/** The parent cluster, all clusters of the key's scope, or named ones: distinct, at least one, in order. */
export type TargetRequest<Name extends string = ClusterName.ClusterName> =
  | { readonly _tag: "Parent" }
  | { readonly _tag: "All" }
  | { readonly _tag: "Named"; readonly names: ReadonlyArray<Name> }

export const parent: TargetRequest<never> = { _tag: "Parent" }
export const all: TargetRequest<never> = { _tag: "All" }
/** Asks for these clusters; duplicates collapse keeping their order. */
export const named = <Name extends string>(names: Iterable<Name>): TargetRequest<Name> => ({
  _tag: "Named",
  names: [...new Set(names)]
})

/** Any text, which a document of the interface describes as the name that it must be. */
const textLike = (name: Schema.Constraint) =>
  Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => Schema.toJsonSchemaDocument(name).schema }))

const fieldsOf = (name: Schema.Constraint, description: string) => ({
  multiCluster: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether `clusters` counts; without `clusters` and header, true addresses every cluster in scope.",
    default: false
  }),
  clusters: Schema.optionalKey(
    Schema.NullOr(Schema.Array(textLike(name))).annotate({ expected: "an array of cluster names" })
  ).annotateKey({ description })
})

/**
 * The two body fields that address clusters; a body schema spreads them.
 *
 * **Shape** names stay text here: `fromParts` holds them to the grammar, so that a bad one is told by its index.
 */
export const bodyFields = fieldsOf(
  ClusterName.ClusterName,
  "Names of clusters, read with `multiCluster: true` alone; they win over the header."
)

/** As `bodyFields`, for reports of costs. */
export const historyBodyFields = fieldsOf(
  HistoryName.HistoryName,
  "Names of clusters, read with `multiCluster: true` alone; they win over the header. Clusters that left count too: `stage`, or `<name>@<yyyy-mm-dd>` where another cluster has the name."
)

/** What a body may say of its target. */
export const Body = Schema.Struct(bodyFields)
export type Body = typeof Body.Type

/**
 * Combines header and body: a list wins over the header, `multiCluster` not true ignores the list, and the narrowest
 * target that answers is taken.
 *
 * **Errors** `EmptyClusterList` for `multiCluster: true` with `[]` or `null`; `InvalidTarget` for a name outside the
 * grammar, too many names, or `null` (also in an ignored list).
 *
 * **Limits** `maxNames` distinct names.
 */
export const fromParts = (
  parts: { readonly header: Option.Option<TargetRequest>; readonly body?: Body },
  maxNames: number
): Result.Result<TargetRequest, InvalidTarget | EmptyClusterList> => fromPartsOf(ClusterName.is)(parts, maxNames)

/** As `fromParts`, by the grammar of other names. */
export const fromPartsOf =
  <Name extends string>(isName: (text: string) => text is Name) =>
  (
    parts: { readonly header: Option.Option<TargetRequest<Name>>; readonly body?: Body },
    maxNames: number
  ): Result.Result<TargetRequest<Name>, InvalidTarget | EmptyClusterList> => {
    const header = Option.getOrElse(parts.header, (): TargetRequest<Name> => parent)
    const { clusters, multiCluster = false } = parts.body ?? {}

    if (clusters === undefined) {
      return Result.succeed(multiCluster && Option.isNone(parts.header) ? all : header)
    }
    if (multiCluster && (clusters === null || clusters.length === 0)) return Result.fail(new EmptyClusterList())
    if (clusters === null) return Result.fail(new InvalidTarget({ field: "clusters", problem: "null" }))

    const names = new Set<Name>()
    for (const [index, name] of clusters.entries()) {
      if (!isName(name)) return Result.fail(new InvalidTarget({ field: `clusters[${index}]`, problem: "name" }))
      names.add(name)
    }
    if (names.size > maxNames) return Result.fail(new InvalidTarget({ field: "clusters", problem: "tooManyNames" }))
    return Result.succeed(multiCluster ? named(names) : header)
  }
