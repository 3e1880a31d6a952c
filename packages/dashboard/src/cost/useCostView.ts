import { useMemo } from "react"
import { useSearchParams } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { type CostWindow, seesIdle } from "../api/CostQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import * as CostPeriod from "./CostPeriod.ts"
import * as CostView from "./CostView.ts"

export interface CostViewState {
  readonly view: CostView.CostView
  readonly window: CostWindow
  readonly mayIdle: boolean
  readonly change: (part: Partial<CostView.CostView>) => void
  /** Returns the address of this page with other settings, for other clusters if a target is given. */
  readonly linkTo: (
    part: Partial<CostView.CostView>,
    target?: ClusterTarget.ClusterTarget
  ) => { readonly search: string }
}

/** Reads and changes the cost settings in the page's address. Each change is a step of the browser's history. */
export const useCostView = (): CostViewState => {
  const { rule } = useCaller()
  const mayIdle = seesIdle(rule)
  const [search, setSearch] = useSearchParams()
  return useMemo(() => {
    const view = CostView.parse(search, mayIdle)
    return {
      view,
      mayIdle,
      window: CostPeriod.windowOf(view, new Date().getTime()),
      change: (part) => {
        setSearch((before) => CostView.write(before, { ...CostView.parse(before, mayIdle), ...part }))
      },
      linkTo: (part, target) => {
        const next = CostView.write(search, { ...view, ...part })
        return { search: (target === undefined ? next : ClusterTarget.write(next, target)).toString() }
      }
    }
  }, [mayIdle, search, setSearch])
}
