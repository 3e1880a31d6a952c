/**
 * The target that a request asks for, before the key's scope applies.
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
/** Requests these clusters. Removes duplicates and keeps the order. */
export const named = <Name extends string>(names: Iterable<Name>): TargetRequest<Name> => ({
  _tag: "Named",
  names: [...new Set(names)]
})

/** A schema that accepts any text but is documented as the given name schema. */
const textLike = (name: Schema.Constraint) =>
  Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => Schema.toJsonSchemaDocument(name).schema }))

const fieldsOf = (name: Schema.Constraint, description: string) => ({
  multiCluster: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "True to address the clusters in `clusters`. Without `clusters` and without the header, true addresses every cluster in scope.",
    default: false
  }),
  clusters: Schema.optionalKey(
    Schema.NullOr(Schema.Array(textLike(name))).annotate({ expected: "an array of cluster names" })
  ).annotateKey({ description })
})

/**
 * The two body fields that address clusters, to be spread into a body schema.
 *
 * **Shape** names stay plain text here. `fromParts` validates them, so that errors report the index of an invalid name.
 */
export const bodyFields = fieldsOf(
  ClusterName.ClusterName,
  "Names of clusters. Used only with `multiCluster: true`; they take precedence over the header."
)

/** Does the same as `bodyFields`, for cost reports. */
export const historyBodyFields = fieldsOf(
  HistoryName.HistoryName,
  "Names of clusters. Used only with `multiCluster: true`; they take precedence over the header. Removed clusters are allowed: `stage`, or `<name>@<yyyy-mm-dd>` if another cluster has the name now."
)

/** The target fields of a body. */
export const Body = Schema.Struct(bodyFields)
export type Body = typeof Body.Type

/**
 * Combines header and body.
 *
 * **Shape** with `multiCluster: true`, the list takes precedence over the header; otherwise the list is ignored.
 * Without a list, `multiCluster: true` addresses all clusters unless there is a header.
 *
 * **Errors** `EmptyClusterList` if `multiCluster` is true and the list is `[]` or `null`. `InvalidTarget` for a name
 * outside the grammar and for too many names, even if the list is ignored. `InvalidTarget` also for `null` in place of
 * an ignored list.
 *
 * **Limits** `maxNames` distinct names.
 */
export const fromParts = (
  parts: { readonly header: Option.Option<TargetRequest>; readonly body?: Body },
  maxNames: number
): Result.Result<TargetRequest, InvalidTarget | EmptyClusterList> => fromPartsOf(ClusterName.is)(parts, maxNames)

/** Does the same as `fromParts`, with another grammar of names. */
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
