/** Functions shared by the families of all kinds. */
import type { Family, Labels } from "./Family.ts"
import type { Row } from "./Rows.ts"

export const LABELS_HELP = "Kubernetes labels converted to Prometheus labels."

/** Labels and value of one series about an object. The series exists from the creation of the object on. */
export type Sample = readonly [labels: Labels, value: number]

/** Returns a family with the samples of each row. */
export const perRow = <A extends Row>(
  name: string,
  help: string,
  rows: () => Iterable<A>,
  samples: (row: A) => ReadonlyArray<Sample>
): Family => ({
  name,
  help,
  type: "gauge",
  timed: false,
  *series() {
    for (const row of rows()) {
      for (const [labels, value] of samples(row)) {
        yield { labels, at: (instantMs) => (instantMs < row.createdMs ? undefined : value) }
      }
    }
  }
})

/** Returns a sample per state: 1 for the present state, 0 for the others. */
export const oneOf = (
  states: ReadonlyArray<string>,
  present: string,
  labels: Labels,
  name: string
): ReadonlyArray<Sample> => states.map((state) => [[...labels, [name, state]], state === present ? 1 : 0])

/** Returns the owner labels of the `…_owner` families. Empty values for an object without an owner. */
export const ownerLabels = ({ owner }: Row): Labels => [
  ["owner_kind", owner?.kind ?? ""],
  ["owner_name", owner?.name ?? ""],
  ["owner_is_controller", owner === undefined ? "" : String(owner.controller ?? false)]
]
