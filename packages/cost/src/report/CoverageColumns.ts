/**
 * CSV columns that state for how much of a record's time its clusters were observed.
 */
import type { SeenHours } from "./CostRow.ts"
import type { Column } from "./Csv.ts"

/** The cluster of a record. If `cluster` is absent or not in `clusters`, the record covers all of them. */
export interface Seen {
  readonly cluster: string | undefined
  readonly clusters: ReadonlyArray<SeenHours>
}

type Hours = Omit<SeenHours, "name">

/** Creates both columns. **Limits** indexes `clusters` once per run of records that share the same array. */
export const make = <Row>(
  names: { readonly covered: string; readonly inWindow: string },
  seenOf: (row: Row) => Seen
): ReadonlyArray<Column<Row>> => {
  let last:
    | { readonly clusters: Seen["clusters"]; readonly hoursOf: (cluster: string | undefined) => Hours }
    | undefined
  const hours = (row: Row): Hours => {
    const { cluster, clusters } = seenOf(row)
    if (last?.clusters !== clusters) last = { clusters, hoursOf: indexed(clusters) }
    return last.hoursOf(cluster)
  }
  return [
    { name: names.covered, of: (row) => hours(row).hoursCovered },
    { name: names.inWindow, of: (row) => hours(row).hoursInWindow }
  ]
}

const indexed = (clusters: Seen["clusters"]): ((cluster: string | undefined) => Hours) => {
  const byName = new Map<string, Hours>(clusters.map((hours) => [hours.name, hours]))
  const all = clusters.reduce(
    (sum, { hoursCovered, hoursInWindow }): Hours => ({
      hoursCovered: sum.hoursCovered + hoursCovered,
      hoursInWindow: sum.hoursInWindow + hoursInWindow
    }),
    { hoursCovered: 0, hoursInWindow: 0 }
  )
  return (cluster) => (cluster === undefined ? undefined : byName.get(cluster)) ?? all
}
