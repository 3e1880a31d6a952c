/**
 * The columns of a file that tell for how much of its time clusters were seen: a file has no other place for it.
 */
import type { SeenHours } from "./CostRow.ts"
import type { Column } from "./Csv.ts"

/** What a record is of. Without a cluster, or with one that is not there, it is of all clusters together. */
export interface Seen {
  readonly cluster: string | undefined
  readonly clusters: ReadonlyArray<SeenHours>
}

type Hours = Omit<SeenHours, "name">

/** Makes both columns. **Limits** the clusters of one time are gone through once, as long as its records follow each other. */
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
  const byName = new Map<string, Hours>(clusters.map((one) => [one.name, one]))
  const all = clusters.reduce(
    (sum, { hoursCovered, hoursInWindow }): Hours => ({
      hoursCovered: sum.hoursCovered + hoursCovered,
      hoursInWindow: sum.hoursInWindow + hoursInWindow
    }),
    { hoursCovered: 0, hoursInWindow: 0 }
  )
  return (cluster) => (cluster === undefined ? undefined : byName.get(cluster)) ?? all
}
