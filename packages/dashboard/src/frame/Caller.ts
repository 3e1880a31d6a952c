import { createContext, use } from "react"
import type { ApiKey, Rule } from "../api/Shapes.ts"

/** The key that the page is signed in with. */
export const CallerContext = createContext<ApiKey | undefined>(undefined)

/** Gives the key that the page is signed in with. */
export const useCaller = (): ApiKey => {
  const caller = use(CallerContext)
  if (caller === undefined) throw new Error("a page of signed-in readers is shown to nobody")
  return caller
}

/** Whether a rule is that of an Admin of every cluster and namespace, who alone changes what all of them share. */
export const isUnscopedAdmin = ({ role, targetClusters, targetNamespaces }: Rule): boolean =>
  role === "Admin" && targetClusters === undefined && targetNamespaces === undefined
