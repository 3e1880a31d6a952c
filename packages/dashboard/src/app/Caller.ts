import { createContext, use } from "react"
import type { ApiKey } from "../api/Shapes.ts"

/** The key that the page is signed in with. */
export const CallerContext = createContext<ApiKey | undefined>(undefined)

/** Gives the key that the page is signed in with. */
export const useCaller = (): ApiKey => {
  const caller = use(CallerContext)
  if (caller === undefined) throw new Error("a page of signed-in readers is shown to nobody")
  return caller
}
