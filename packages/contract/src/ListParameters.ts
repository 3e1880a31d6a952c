/**
 * Query parameters that lists share, decoded strictly from text.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { Consistency } from "@quarterdeck/cluster-fanout/Coverage"
import { DEFAULT_LIMIT, MAX_LIMIT, Order } from "@quarterdeck/cluster-fanout/ListQuery"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema, SchemaTransformation } from "effect"

/** Longest deadline that a setting may allow. */
export const MAX_TIMEOUT_MS = 30_000

/** A positive whole number in plain decimal digits. Signs, leading zeros and exponents are refused. */
export const countUpTo = (
  maximum: number,
  documentation: { readonly description: string; readonly default?: number }
) =>
  Schema.String.check(
    Schema.isPattern(/^[1-9][0-9]{0,8}$/, {
      expected: `a whole number from 1 to ${maximum}`,
      toJsonSchema: () => ({ type: "integer", minimum: 1, maximum, ...documentation })
    })
  ).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }, { expected: `a whole number from 1 to ${maximum}` })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )

export const Limit = countUpTo(MAX_LIMIT, { description: "Rows on a page.", default: DEFAULT_LIMIT })
/** Time that clusters may take to answer. Settings of the server define its default and maximum. */
export const TimeoutMs = countUpTo(MAX_TIMEOUT_MS, {
  description: "Time that clusters may take to answer, in milliseconds."
})

/** A Kubernetes kind, if needed with its group: `Deployment`, `Job.batch.volcano.sh`. */
export const Kind = Schema.String.check(
  Schema.isPattern(KindName.KIND, { expected: "a Kubernetes kind such as Deployment" })
)

/** An opaque cursor. The server signs its content. */
export const Cursor = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,4096}$/u, { expected: "the nextCursor of an earlier reply" })
)

/** A string of 1 to `maximum` characters. */
export const textUpTo = (maximum: number) => {
  const length = { expected: `1 to ${maximum} characters` }
  return Schema.String.check(Schema.isMinLength(1, length), Schema.isMaxLength(maximum, length))
}

/** Id of a key or of a person. A person's id is `oidc:` and a subject of up to 255 characters. */
export const CallerId = textUpTo(260)

/** Part of a name. Case-sensitive. */
export const NamePart = textUpTo(253)

const OBJECT_NAME = {
  expected: "a name of Kubernetes: 1 to 253 of a-z 0-9 - ., each part first and last a letter or digit"
}

/**
 * Name of a workload or a pod.
 *
 * **Shape** RFC 1123 subdomain. The name becomes part of a request path to a cluster, where `..` or an encoded slash would
 * lead to another object.
 */
export const ObjectName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/, OBJECT_NAME),
  Schema.isMaxLength(253, OBJECT_NAME)
)

/** A label selector. The server parses it. **Source** Kubernetes, "Label selectors". */
export const LabelSelector = textUpTo(4096)

/**
 * Parameters of every merged list.
 */
export const pageParameters = {
  order: Schema.optionalKey(Order).annotateKey({
    description: "Direction of the sort. Rows with the same sort key are sorted by cluster first, always ascending.",
    default: "asc"
  }),
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Cursor).annotateKey({
    description: "`nextCursor` of the previous page of the same request. Absent: the first page."
  }),
  consistency: Schema.optionalKey(Consistency).annotateKey({
    description: "`cache` reads the cache that watches keep current; `live` queries each cluster.",
    default: "cache"
  }),
  timeoutMs: Schema.optionalKey(TimeoutMs)
}

/** Filters a list by namespace. A repeated parameter matches any of its values. */
export const namespaceParameter = {
  namespace: Schema.optionalKey(Schema.Array(NamespaceName)).annotateKey({
    description: "Only rows of this namespace. Repeat the parameter to match any of several namespaces."
  })
}
export const kindParameter = {
  kind: Schema.optionalKey(Schema.Array(Kind)).annotateKey({
    description: "Only rows of this kind. Repeat the parameter to match any of several kinds."
  })
}

/** Filters a list by name and label. */
export const nameParameters = {
  name: Schema.optionalKey(NamePart).annotateKey({
    description: "Only rows whose name contains this text. Case-sensitive."
  }),
  labelSelector: Schema.optionalKey(LabelSelector).annotateKey({
    description: "Only rows whose labels match, in the syntax of `kubectl -l`."
  })
}

/** Sort key of a list. */
export const sortParameter = <S extends Schema.Top>(sort: S) => ({
  sort: Schema.optionalKey(sort).annotateKey({
    description: "Sort key. Text is sorted by byte order.",
    default: "name"
  })
})
