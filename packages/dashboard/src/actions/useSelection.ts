import { useCallback, useMemo, useState } from "react"
import type { Workload } from "../api/WorkloadQueries.ts"
import { allOf, NONE, toggled } from "./Selection.ts"

export interface WorkloadSelection {
  /** The selected rows among the shown ones, in their order. Actions apply only to them. */
  readonly selected: ReadonlyArray<Workload>
  readonly ids: ReadonlySet<string>
  readonly isAll: boolean
  readonly toggle: (id: string, isRange: boolean) => void
  readonly setAll: (isChosen: boolean) => void
  readonly clear: () => void
}

/** Holds the selection of a list. It survives filtering, sorting and refetching. */
export const useSelection = (workloads: ReadonlyArray<Workload>): WorkloadSelection => {
  const [selection, setSelection] = useState(NONE)
  const order = useMemo(() => workloads.map(({ id }) => id), [workloads])
  const { ids } = selection
  const selected = useMemo(() => workloads.filter(({ id }) => ids.has(id)), [ids, workloads])
  const toggle = useCallback(
    (id: string, isRange: boolean) => setSelection((before) => toggled(before, order, { id, isRange })),
    [order]
  )
  const setAll = useCallback((isChosen: boolean) => setSelection((before) => allOf(before, order, isChosen)), [order])
  const clear = useCallback(() => setSelection(NONE), [])
  return { selected, ids, isAll: selected.length > 0 && selected.length === workloads.length, toggle, setAll, clear }
}
