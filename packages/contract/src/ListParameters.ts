/**
 * The query parameters that lists share, decoded strictly from text.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { Consistency } from "@quarterdeck/cluster-fanout/Coverage"
import { DEFAULT_LIMIT, MAX_LIMIT, Order } from "@quarterdeck/cluster-fanout/ListQuery"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema, SchemaTransformation } from "effect"

/** The longest deadline that any setting may allow, in milliseconds. */
export const MAX_TIMEOUT_MS = 30_000

/** Decodes a positive whole number written in plain decimal digits, and refuses every other way to write one. */
export const countUpTo = (maximum: number, said: { readonly description: string; readonly default?: number }) =>
  Schema.String.check(
    Schema.isPattern(/^[1-9][0-9]{0,8}$/, {
      expected: `a whole number from 1 to ${maximum}`,
      toJsonSchema: () => ({ type: "integer", minimum: 1, maximum, ...said })
    })
  ).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }, { expected: `a whole number from 1 to ${maximum}` })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )

export const Limit = countUpTo(MAX_LIMIT, { description: "Rows of one page.", default: DEFAULT_LIMIT })
/** How long clusters may take to answer; its default, and an upper bound, are settings of the server. */
export const TimeoutMs = countUpTo(MAX_TIMEOUT_MS, {
  description: "How long clusters may take to answer, in milliseconds."
})

/** A kind as rows have it: as Kubernetes writes it, or with its group as `Job.batch.volcano.sh`. */
export const Kind = Schema.String.check(
  Schema.isPattern(KindName.KIND, { expected: "a Kubernetes kind such as Deployment" })
)

/** A cursor as it was given; its content is signed and read by the server alone. */
export const Cursor = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._-]{1,4096}$/u, { expected: "the nextCursor of an earlier reply" })
)

/** A text that is not empty. */
export const textUpTo = (maximum: number) => {
  const length = { expected: `1 to ${maximum} characters` }
  return Schema.String.check(Schema.isMinLength(1, length), Schema.isMaxLength(maximum, length))
}

/** The id of a key, or of a person: `oidc:` and a subject, which providers keep to 255 characters. */
export const CallerId = textUpTo(260)

/** A part of a name. **Shape** 1 to 253 characters, compared as it is. */
export const NamePart = textUpTo(253)

const OBJECT_NAME = {
  expected: "a name of Kubernetes: 1 to 253 of a-z 0-9 - ., each part first and last a letter or digit"
}

/**
 * The name of a workload or a pod that a request is about.
 *
 * **Shape** RFC 1123 subdomain: no other text may become a part of a path that a cluster is asked for, where `..` and an
 * encoded slash lead elsewhere.
 */
export const ObjectName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/, OBJECT_NAME),
  Schema.isMaxLength(253, OBJECT_NAME)
)

/** A label selector, whose grammar is read by the service. **Source** Kubernetes, "Label selectors". */
export const LabelSelector = textUpTo(4096)

/**
 * Parameters of every merged list.
 *
 * **Shape** `cache` answers from the watch-fed view, `live` asks each cluster now.
 */
export const pageParameters = {
  order: Schema.optionalKey(Order).annotateKey({ description: "Of the sort key; ties ascend.", default: "asc" }),
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Cursor).annotateKey({
    description: "The `nextCursor` of an earlier reply to the same question; absent: the first page."
  }),
  consistency: Schema.optionalKey(Consistency).annotateKey({
    description: "`cache` answers from what watches keep current, `live` asks each cluster now.",
    default: "cache"
  }),
  timeoutMs: Schema.optionalKey(TimeoutMs)
}

/** Narrows a list by namespace; a repeated parameter asks for any of its values. */
export const namespaceParameter = {
  namespace: Schema.optionalKey(Schema.Array(NamespaceName)).annotateKey({
    description: "Rows of this namespace; several are any of them."
  })
}
export const kindParameter = {
  kind: Schema.optionalKey(Schema.Array(Kind)).annotateKey({
    description: "Rows of this kind; several are any of them."
  })
}

/** What narrows a list by name and label. */
export const nameParameters = {
  name: Schema.optionalKey(NamePart).annotateKey({ description: "A part of the name, compared as it is." }),
  labelSelector: Schema.optionalKey(LabelSelector).annotateKey({
    description: "Labels of the row, as `kubectl -l` takes them."
  })
}

/** The key that a list is sorted by. */
export const sortParameter = <S extends Schema.Top>(sort: S) => ({
  sort: Schema.optionalKey(sort).annotateKey({ description: "The sort key; text by byte order.", default: "name" })
})
