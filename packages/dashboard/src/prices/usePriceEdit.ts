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
  /** True if the book has changed since the edit started. */
  readonly isStale: boolean
  /** The body to save; absent without changes or with invalid fields. */
  readonly body: object | undefined
  readonly isSaving: boolean
  readonly failure: ApiFailure | undefined
  /** The saved version, until the next change. */
  readonly savedVersion: number | undefined
  readonly change: (part: Partial<PriceDraft>) => void
  readonly save: () => void
  /** Discards the changes and loads the current book. */
  readonly restart: () => void
  /** Applies the changes to the current book. */
  readonly applyChanges: () => void
}

interface Edit {
  /** The book at the start of the edit. */
  readonly base: Prices
  readonly draft: PriceDraft
}

const editOf = (base: Prices): Edit => ({ base, draft: fromBook(base) })

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
        // After a save, or a refusal because the edit is stale, the book on the server is a newer version.
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
    applyChanges: () => setEdit({ base: latest, draft: rebase(draft, fromBook(base), fromBook(latest)) })
  }
}
