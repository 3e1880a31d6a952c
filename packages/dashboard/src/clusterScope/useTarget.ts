import { useMemo } from "react"
import { useSearchParams } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"

export interface TargetState {
  readonly target: ClusterTarget.ClusterTarget
  readonly setTarget: (target: ClusterTarget.ClusterTarget) => void
  /** The address of a page for the same clusters. **Shape** other parameters than the target's may be given. */
  readonly linkTo: (path: string, more?: Readonly<Record<string, string>>) => string
}

/** Gives the clusters that the address names, changes them there, and keeps them in links. */
export const useTarget = (): TargetState => {
  const [search, setSearch] = useSearchParams()
  return useMemo(() => {
    const kept = ClusterTarget.alone(search)
    return {
      target: ClusterTarget.parse(search),
      setTarget: (target) => {
        setSearch((before) => ClusterTarget.write(before, target))
      },
      linkTo: (path, more = {}) => {
        const all = new URLSearchParams(kept)
        for (const [name, value] of Object.entries(more)) all.set(name, value)
        const text = all.toString()
        return text === "" ? path : `${path}?${text}`
      }
    }
  }, [search, setSearch])
}
