/**
 * A form about a key: its draft, what is wrong with it, and the call that it asks for.
 */
import { useState } from "react"
import { type Action, useAction } from "../api/useAction.ts"
import { type Faults, faultsOf } from "./KeyDraft.ts"

export interface DraftForm<Draft> extends Omit<Action, "clear"> {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  /** What the form found missing before it asked the server. */
  readonly missing: Faults
  /** That, and what the server refused. */
  readonly faults: Faults
  readonly refuse: (missing: Faults) => void
}

/** Holds a draft. **Shape** what was wrong is forgotten once anything changes. */
export const useDraft = <Draft extends object>(begin: () => Draft): DraftForm<Draft> => {
  const [draft, setDraft] = useState(begin)
  const [missing, refuse] = useState<Faults>({})
  const { clear, failure, isRunning, run } = useAction()
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }))
    refuse({})
    clear()
  }
  return { draft, change, missing, faults: { ...faultsOf(failure), ...missing }, refuse, failure, isRunning, run }
}
