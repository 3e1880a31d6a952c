/**
 * The query of the cost report by workload, and the filters that all cost reports share.
 *
 * Imports nothing of Node, because the service's contract uses these schemas.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { historyBodyFields } from "@quarterdeck/targeting/TargetRequest"
import { Result, Schema } from "effect"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { InvalidCostQuery } from "./ReportError.ts"

/** Maximum number of names in one field of a body. */
export const MAX_NAMES = 1_000

/** A kind of workload. **Shape** any Kubernetes kind, custom kinds that own pods included. Case-sensitive. */
export const WorkloadType = Schema.String.check(
  Schema.isPattern(KindName.KIND, { expected: "a Kubernetes kind in its exact spelling, such as Deployment" })
)

const some = { expected: "at least one; omit the field to match all" }
const notMore = { expected: `at most ${MAX_NAMES}` }

const MAX_SELECTOR = 4_096
const selecting = { expected: `1 to ${MAX_SELECTOR} characters; omit the field to match all` }

/**
 * The fields that filter a report. A workload must match every given field. It matches a list if it matches one of its names.
 */
export const filterFields = {
  namespaces: Schema.optionalKey(
    Schema.Array(NamespaceName).check(Schema.isMinLength(1, some), Schema.isMaxLength(MAX_NAMES, notMore))
  ).annotateKey({ description: "Only workloads of these namespaces." }),
  workloadTypes: Schema.optionalKey(
    Schema.Array(WorkloadType).check(Schema.isMinLength(1, some), Schema.isMaxLength(MAX_NAMES, notMore))
  ).annotateKey({ description: "Only workloads of these kinds, in their Kubernetes spelling." }),
  labelSelector: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1, selecting), Schema.isMaxLength(MAX_SELECTOR, selecting))
  ).annotateKey({
    description:
      "Only workloads that had matching labels in the hour, in the syntax of `kubectl -l`: `team=web,tier in (front, edge),!canary`."
  })
}

/** The field that compares a report with the window before. */
export const compareFields = {
  compare: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Adds `previous` to the report and to each row: the same figures of the preceding window of equal length. Must not be combined with `stepSize` or the format `focus`.",
    default: false
  })
}

export const CostFilter = Schema.Struct(filterFields)
export type CostFilter = typeof CostFilter.Type

/** The request body of the report by workload. All fields are optional. Unknown fields are errors: see {@link decode}. */
export const WorkloadsBody = Schema.Struct({ ...filterFields, ...compareFields, ...historyBodyFields }).annotate({
  identifier: "WorkloadCostsQuery"
})
export type WorkloadsBody = typeof WorkloadsBody.Type

/** Format of a reply. **Shape** `focus` is CSV with the columns of the FinOps Open Cost and Usage Specification. */
export const Format = Schema.Literals(["json", "csv", "focus"])
export type Format = typeof Format.Type

/** Decodes a request body. **Errors** `InvalidCostQuery` with the first invalid field, such as `workloadTypes[1]`. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  body: S,
  input: unknown
): Result.Result<S["Type"], InvalidCostQuery> =>
  Result.mapError(
    Schema.decodeUnknownResult(body, { onExcessProperty: "error" })(input),
    ({ issue }) => new InvalidCostQuery(SchemaFault.fromIssue(issue))
  )
