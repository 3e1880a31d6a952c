import { createContext, use } from "react"
import type { ApiKey, Rule } from "../api/Shapes.ts"

/** The key of the session. */
export const CallerContext = createContext<ApiKey | undefined>(undefined)

/** Returns the key of the session. */
export const useCaller = (): ApiKey => {
  const caller = use(CallerContext)
  if (caller === undefined) throw new Error("useCaller needs a CallerContext: this page requires a session")
  return caller
}

/** Returns true for an Admin of every cluster and namespace. Only such a key may change prices and clusters. */
export const isUnscopedAdmin = ({ role, targetClusters, targetNamespaces }: Rule): boolean =>
  role === "Admin" && targetClusters === undefined && targetNamespaces === undefined
