import { useMemo } from "react"
import { useSearchParams } from "react-router"
import { type CostWindow, seesIdle } from "../api/CostQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import * as CostView from "./CostView.ts"

export interface CostViewState {
  readonly view: CostView.CostView
  readonly window: CostWindow
  readonly mayIdle: boolean
  readonly change: (part: Partial<CostView.CostView>) => void
}

/** Reads and changes the cost settings in the page's address. */
export const useCostView = (): CostViewState => {
  const { rule } = useCaller()
  const mayIdle = seesIdle(rule)
  const [search, setSearch] = useSearchParams()
  return useMemo(() => {
    const view = CostView.parse(search, mayIdle)
    return {
      view,
      mayIdle,
      window: CostView.windowOf(view, new Date().getTime()),
      change: (part) => {
        setSearch((before) => CostView.write(before, { ...CostView.parse(before, mayIdle), ...part }))
      }
    }
  }, [mayIdle, search, setSearch])
}
