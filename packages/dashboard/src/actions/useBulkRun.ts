import { useQueryClient } from "@tanstack/react-query"
import { Effect, Schedule } from "effect"
import { useEffect, useRef, useState } from "react"
import { perform } from "../api/BulkActions.ts"
import type { End, Outcome } from "../api/BulkCall.ts"
import { ApiFailure } from "../api/Client.ts"
import { noteFailure } from "../api/Session.ts"
import { at, type BulkRun, ended, type Phase, resent, withOutcome } from "./BulkRun.ts"

export interface BulkProgress {
  /** `undefined` before the first call. */
  readonly run: BulkRun | undefined
  readonly failure: ApiFailure | undefined
  /** True while a lost call is sent again. */
  readonly isReconnecting: boolean
  readonly start: (run: BulkRun) => void
  readonly resend: () => void
  /** Stops watching the call. The server continues it. */
  readonly leave: () => void
}

/** Sends a call again after its answer was lost, under the same key, for about eight seconds. */
const RETRY = { times: 4, schedule: Schedule.exponential("500 millis") }

const isLost = ({ code }: ApiFailure): boolean => code === "no_answer"

const asFailure = (error: unknown): ApiFailure => {
  if (error instanceof ApiFailure) return error
  throw error
}

interface Listener {
  readonly onOutcome: (outcome: Outcome) => void
  readonly onLoss: () => void
}

/** Sends a call, and again if its answer is lost. **Errors** rejects with `ApiFailure`. */
const performWithRetry = ({ call }: BulkRun, { onLoss, onOutcome }: Listener, signal: AbortSignal): Promise<End> =>
  Effect.runPromise(
    Effect.tryPromise({ try: (signal) => perform(call, { signal, onOutcome }), catch: asFailure }).pipe(
      Effect.tapError((failure) => Effect.sync(() => isLost(failure) && onLoss())),
      Effect.retry({ ...RETRY, while: isLost })
    ),
    { signal }
  )

/** Returns the phase after a failure. **Shape** after a lost answer, a refusal concerns only the repeated call. */
const phaseOf = ({ code }: ApiFailure, wasLost: boolean): Phase => {
  if (code === "outcome_unknown" || code === "internal_error") return "unknown"
  return wasLost || code === "no_answer" ? "lost" : "refused"
}

/** Runs bulk actions, one call at a time, while its component is mounted. */
export const useBulkRun = (): BulkProgress => {
  const queries = useQueryClient()
  const [run, setRun] = useState<BulkRun>()
  const [failure, setFailure] = useState<ApiFailure>()
  const [isReconnecting, setReconnecting] = useState(false)
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])

  const send = async (first: BulkRun) => {
    const mine = new AbortController()
    controller.current = mine
    // The earlier call may have taken effect, even if the repeated one is refused.
    let wasLost = first.phase === "lost" || first.phase === "left"
    const update = (change: (run: BulkRun) => BulkRun) =>
      setRun((before) => (before === undefined || mine.signal.aborted ? before : change(before)))
    setRun(resent(first))
    setFailure(undefined)
    setReconnecting(false)
    try {
      const onOutcome = (outcome: Outcome) => {
        setReconnecting(false)
        update((now) => withOutcome(now, outcome))
      }
      const onLoss = () => {
        wasLost = true
        setReconnecting(true)
      }
      const end = await performWithRetry(first, { onLoss, onOutcome }, mine.signal)
      update((now) => ended(now, end))
    } catch (error) {
      if (mine.signal.aborted) return
      const failure = asFailure(error)
      noteFailure(queries, failure)
      setFailure(failure)
      update((now) => at(now, phaseOf(failure, wasLost)))
    } finally {
      setReconnecting(false)
      for (const name of ["workloads", "workload", "pods"]) void queries.invalidateQueries({ queryKey: [name] })
    }
  }

  return {
    run,
    failure,
    isReconnecting,
    start: (run) => void send(run),
    resend: () => {
      if (run !== undefined) void send(run)
    },
    leave: () => {
      setRun((before) => (before === undefined ? before : at(before, "left")))
      controller.current?.abort()
    }
  }
}
