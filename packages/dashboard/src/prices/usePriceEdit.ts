import { useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { useState } from "react"
import type { ApiFailure } from "../api/Client.ts"
import { type Prices, pricesQuery, putPrices } from "../api/PriceQueries.ts"
import { useAction } from "../api/useAction.ts"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { type Change, changesOf, fromBook, type PriceDraft, rebase, toBody } from "./PriceDraft.ts"

/** An edit of the price book. */
export interface PriceEdit {
  readonly draft: PriceDraft
  readonly errors: FieldErrors
  readonly changes: ReadonlyArray<Change>
  /** Somebody else has changed the book since the edit began. */
  readonly isStale: boolean
  /** What would be saved; absent while nothing is changed, or a field is not as it should be. */
  readonly body: object | undefined
  readonly isSaving: boolean
  readonly failure: ApiFailure | undefined
  /** The version that was saved, while nothing was changed since. */
  readonly savedVersion: number | undefined
  readonly change: (part: Partial<PriceDraft>) => void
  readonly save: () => void
  /** Begins again with the book as it is now. */
  readonly restart: () => void
  /** Brings the changes onto the book as it is now. */
  readonly bringOver: () => void
}

interface Edit {
  /** The book that it began with. */
  readonly base: Prices
  readonly draft: PriceDraft
}

const editOf = (base: Prices): Edit => ({ base, draft: fromBook(base) })

/** Edits the price book. */
export const usePriceEdit = (latest: Prices): PriceEdit => {
  const queries = useQueryClient()
  const [{ base, draft }, setEdit] = useState(() => editOf(latest))
  const [errors, setErrors] = useState<FieldErrors>({})
  const [savedVersion, setSavedVersion] = useState<number>()
  const { failure, isRunning, run } = useAction()
  const changes = changesOf(fromBook(base), draft)

  const body = toBody(draft, base.version)

  const save = () => {
    setErrors(Result.isFailure(body) ? body.failure : {})
    if (Result.isFailure(body)) return
    void run(async () => {
      try {
        await putPrices(body.success)
      } finally {
        // Refused as stale, or saved: what stands there now is another book.
        const book = await queries.query({ ...pricesQuery, staleTime: 0 })
        setSavedVersion(book.version)
        if (changesOf(fromBook(book), draft).length === 0) setEdit(editOf(book))
      }
    })
  }
  const isSaved = savedVersion === base.version && failure === undefined && changes.length === 0
  return {
    draft,
    errors,
    changes,
    isStale: latest.version !== base.version,
    body: changes.length > 0 && Result.isSuccess(body) ? body.success : undefined,
    isSaving: isRunning,
    failure,
    savedVersion: isSaved ? savedVersion : undefined,
    change: (part) => {
      setEdit((before) => ({ ...before, draft: { ...before.draft, ...part } }))
      setErrors({})
      setSavedVersion(undefined)
    },
    save,
    restart: () => setEdit(editOf(latest)),
    bringOver: () => setEdit({ base: latest, draft: rebase(draft, fromBook(base), fromBook(latest)) })
  }
}
