/**
 * The settings of the savings page: filter, grouping, and the opened workload. The page's address holds them.
 */
import { GROUPINGS, type Grouping } from "./Savings.ts"

/** Settings of the savings page. **Shape** `open` is the id of the workload whose details are shown. */
export interface SavingsView {
  readonly text: string
  readonly by: Grouping
  readonly labelKey: string
  readonly isUnused: boolean
  readonly open: string | undefined
}

const STANDARD_LABEL = "team"
const UNUSED = "unused"

export const parse = (search: URLSearchParams): SavingsView => ({
  text: search.get("find") ?? "",
  by: GROUPINGS.find(([name]) => name === search.get("group"))?.[0] ?? "",
  labelKey: search.get("team") ?? STANDARD_LABEL,
  isUnused: search.get("show") === UNUSED,
  open: search.get("open") ?? undefined
})

/** Writes settings into an address. Other parameters stay, standard values are left out. */
export const write = (
  search: URLSearchParams,
  { by, isUnused, labelKey, open, text }: SavingsView
): URLSearchParams => {
  const next = new URLSearchParams(search)
  const values = {
    find: text,
    group: by,
    team: labelKey === STANDARD_LABEL ? "" : labelKey,
    show: isUnused ? UNUSED : "",
    open: open ?? ""
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === "") next.delete(name)
    else next.set(name, value)
  }
  return next
}
