/**
 * Queries of the cost reports.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import type { AggregateBody } from "./Aggregate.ts"
import type { CostFilter } from "./CostQuery.ts"
import type { Range } from "./Range.ts"
import type { ClusterView } from "./ReportCoverage.ts"

/** The requested page. **Shape** `cursorBinding` names the key, so that a cursor is valid for that key only. */
export interface Paged {
  readonly page: { readonly limit: number; readonly cursor?: string }
  readonly cursorBinding: string
}

/**
 * The part of a query that all reports share.
 *
 * **Shape** `namespaces` is the key's scope; `view` returns the present state of a target cluster.
 */
interface Scoped {
  readonly namespaces: NamespaceFilter
  readonly view: (cluster: HistoryName) => ClusterView
  readonly range: Range
}

interface Narrowed extends Scoped {
  readonly target: Target<HistoryName>
  readonly filter: CostFilter
  /** True to compare with the window before. */
  readonly compare?: boolean | undefined
}

export interface WorkloadsQuery extends Narrowed, Paged {}

/** The fields of {@link AggregateBody}; `idle` defaults to `hide`. */
export interface Grouped extends Narrowed {
  readonly groupBy: AggregateBody["groupBy"]
  readonly stepSize?: AggregateBody["stepSize"]
  readonly idle?: AggregateBody["idle"]
}

export interface AggregateQuery extends Grouped, Paged {}

/** Query for the explanation of one row. **Shape** `cluster` is one that the key may read. */
export interface ExplainQuery extends Scoped {
  readonly cluster: HistoryName
  readonly id: string
}
