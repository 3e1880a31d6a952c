import { useMemo } from "react"
import { useSearchParams } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"

export interface TargetState {
  readonly target: ClusterTarget.ClusterTarget
  readonly setTarget: (target: ClusterTarget.ClusterTarget) => void
  /** Returns the address of a page for the same clusters, with further parameters. */
  readonly linkTo: (path: string, more?: Readonly<Record<string, string>>) => string
}

/** Reads and changes the target in the page's address, and keeps it in links. */
export const useTarget = (): TargetState => {
  const [search, setSearch] = useSearchParams()
  return useMemo(() => {
    const target = ClusterTarget.alone(search)
    return {
      target: ClusterTarget.parse(search),
      setTarget: (target) => {
        setSearch((before) => ClusterTarget.write(before, target))
      },
      linkTo: (path, more = {}) => {
        const all = new URLSearchParams(target)
        for (const [name, value] of Object.entries(more)) all.set(name, value)
        const text = all.toString()
        return text === "" ? path : `${path}?${text}`
      }
    }
  }, [search, setSearch])
}
