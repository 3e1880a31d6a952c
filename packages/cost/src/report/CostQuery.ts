/**
 * What a report of costs may be asked for.
 *
 * Imports nothing of Node: the contract of the service is made of these schemas.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { historyBodyFields } from "@quarterdeck/targeting/TargetRequest"
import { Result, Schema } from "effect"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { InvalidCostQuery } from "./ReportError.ts"

/** How many names one field of a body may have. */
export const MAX_NAMES = 1_000

/**
 * A kind of workload. **Shape** any Kubernetes kind, also a custom one that owns pods; case-sensitive as there.
 */
export const WorkloadType = Schema.String.check(
  Schema.isPattern(KindName.KIND, { expected: "a Kubernetes kind, spelled as there, such as Deployment" })
)

const some = { expected: "at least one; leave the field out for all" }
const notMore = { expected: `at most ${MAX_NAMES}` }

const MAX_SELECTOR = 4_096
const selecting = { expected: `1 to ${MAX_SELECTOR} characters; leave the field out for all` }

/**
 * The fields that narrow a report.
 *
 * A workload matches one of the names in each field that is given, and every requirement of the selector, whose
 * grammar `LabelFilter` reads.
 */
export const filterFields = {
  namespaces: Schema.optionalKey(
    Schema.Array(NamespaceName).check(Schema.isMinLength(1, some), Schema.isMaxLength(MAX_NAMES, notMore))
  ).annotateKey({ description: "Workloads of these namespaces." }),
  workloadTypes: Schema.optionalKey(
    Schema.Array(WorkloadType).check(Schema.isMinLength(1, some), Schema.isMaxLength(MAX_NAMES, notMore))
  ).annotateKey({ description: "Workloads of these kinds, spelled as in Kubernetes." }),
  labelSelector: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1, selecting), Schema.isMaxLength(MAX_SELECTOR, selecting))
  ).annotateKey({
    description:
      "Workloads that had such labels in the hour, as `kubectl -l` takes them: `team=web,tier in (front, edge),!canary`."
  })
}

/** What narrows a report. */
export const CostFilter = Schema.Struct(filterFields)
export type CostFilter = typeof CostFilter.Type

/**
 * The body that asks for workloads.
 *
 * **Shape** every field may be left out. Decode with {@link decode}, or with `onExcessProperty: "error"`.
 */
export const WorkloadsBody = Schema.Struct({ ...filterFields, ...historyBodyFields }).annotate({
  identifier: "WorkloadCostsQuery"
})
export type WorkloadsBody = typeof WorkloadsBody.Type

/** How a report is written. **Shape** `focus` is CSV with the columns of the FinOps Open Cost and Usage Specification. */
export const Format = Schema.Literals(["json", "csv", "focus"])
export type Format = typeof Format.Type

/**
 * Reads a body.
 *
 * **Errors** `InvalidCostQuery` with the first field at fault: `workloadTypes[1]`.
 */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  body: S,
  input: unknown
): Result.Result<S["Type"], InvalidCostQuery> =>
  Result.mapError(
    Schema.decodeUnknownResult(body, { onExcessProperty: "error" })(input),
    ({ issue }) => new InvalidCostQuery(SchemaFault.fromIssue(issue))
  )
