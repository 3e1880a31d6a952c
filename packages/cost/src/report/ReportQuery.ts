/**
 * What the reports are asked with.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import type { AggregateBody } from "./Aggregate.ts"
import type { CostFilter } from "./CostQuery.ts"
import type { Range } from "./Range.ts"
import type { ClusterView } from "./ReportCoverage.ts"

/** Which page, and whose. **Shape** `cursorBinding` names the key, so that cursors serve it alone. */
export interface Paged {
  readonly page: { readonly limit: number; readonly cursor?: string }
  readonly cursorBinding: string
}

/**
 * What any report is asked with.
 *
 * **Shape** `namespaces` is what the key reaches; `view` tells how each addressed cluster is now.
 */
interface Scoped {
  readonly namespaces: NamespaceFilter
  readonly view: (cluster: HistoryName) => ClusterView
  readonly range: Range
}

interface Narrowed extends Scoped {
  readonly target: Target<HistoryName>
  readonly filter: CostFilter
}

export interface WorkloadsQuery extends Narrowed, Paged {}

/** The fields of {@link AggregateBody}; `idle` is `hide` where it is left out. */
export interface Grouped extends Narrowed {
  readonly groupBy: AggregateBody["groupBy"]
  readonly stepSize?: AggregateBody["stepSize"]
  readonly idle?: AggregateBody["idle"]
}

export interface AggregateQuery extends Grouped, Paged {}

/**
 * Asks for the explanation of one row.
 *
 * **Shape** `id` as the row's; it must be one of `cluster`, which the caller found within the key's scope.
 */
export interface ExplainQuery extends Scoped {
  readonly cluster: HistoryName
  readonly id: string
}
