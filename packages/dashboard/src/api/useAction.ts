/**
 * Runs a call that the user started, and holds its progress and failure.
 */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ApiFailure } from "./Client.ts"
import { noteFailure } from "./Session.ts"

export interface Action {
  readonly isRunning: boolean
  readonly failure: ApiFailure | undefined
  /** Runs a call. Resolves to true if it succeeded. */
  readonly run: (call: () => Promise<void>) => Promise<boolean>
  readonly clear: () => void
}

/**
 * Runs calls and holds the state of the last one.
 *
 * A reply of 401 signs the page out, unless `signsIn` is true: then the entered key was refused.
 */
export const useAction = (options: { readonly signsIn?: boolean } = {}): Action => {
  const queries = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()

  const run = async (call: () => Promise<void>): Promise<boolean> => {
    setRunning(true)
    setFailure(undefined)
    try {
      await call()
      return true
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      if (options.signsIn !== true) noteFailure(queries, error)
      setFailure(error)
      return false
    } finally {
      setRunning(false)
    }
  }

  return { isRunning, failure, run, clear: () => setFailure(undefined) }
}
