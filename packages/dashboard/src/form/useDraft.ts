import { useState } from "react"
import { type Action, useAction } from "../api/useAction.ts"
import { type FieldErrors, fieldErrorsOf, type FieldOf } from "./FieldErrors.ts"

/** The state of a form: its draft, its errors, and the call that sends it. */
export interface DraftForm<Draft> extends Omit<Action, "clear"> {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  /** Errors found before the request was sent. */
  readonly missing: FieldErrors
  /** {@link missing} together with the server's errors. */
  readonly errors: FieldErrors
  readonly refuse: (missing: FieldErrors) => void
}

/** Holds the draft of a form. **Shape** any change clears all errors. */
export const useDraft = <Draft extends object>(begin: () => Draft, fieldOf?: FieldOf): DraftForm<Draft> => {
  const [draft, setDraft] = useState(begin)
  const [missing, refuse] = useState<FieldErrors>({})
  const { clear, failure, isRunning, run } = useAction()
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }))
    refuse({})
    clear()
  }
  const errors = { ...fieldErrorsOf(failure, fieldOf), ...missing }
  return { draft, change, missing, errors, refuse, failure, isRunning, run }
}
