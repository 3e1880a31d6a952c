import { useQueryClient } from "@tanstack/react-query"
import { Effect, Schedule } from "effect"
import { useEffect, useRef, useState } from "react"
import { perform } from "../api/BulkActions.ts"
import type { End, Outcome } from "../api/BulkCall.ts"
import { ApiFailure } from "../api/Client.ts"
import { noteFailure } from "../api/Session.ts"
import { at, type BulkRun, ended, type Phase, resent, told } from "./BulkRun.ts"

export interface BulkProgress {
  /** `undefined` before anything is sent. */
  readonly run: BulkRun | undefined
  readonly failure: ApiFailure | undefined
  /** The connection broke, and the same is asked again. */
  readonly isReconnecting: boolean
  readonly start: (run: BulkRun) => void
  readonly resend: () => void
  /** Waits no longer for what is under way, which goes on. */
  readonly leave: () => void
}

/** An answer that is lost is asked for again, under the same key, over some seconds. */
const AGAIN = { times: 4, schedule: Schedule.exponential("500 millis") }

const isLost = ({ code }: ApiFailure): boolean => code === "no_answer"

const asFailure = (error: unknown): ApiFailure => {
  if (error instanceof ApiFailure) return error
  throw error
}

interface Listener {
  readonly tell: (outcome: Outcome) => void
  readonly lose: () => void
}

/** Sends a call until its end is told. **Errors** rejects with `ApiFailure`. */
const performSurely = ({ call }: BulkRun, { lose, tell }: Listener, signal: AbortSignal): Promise<End> =>
  Effect.runPromise(
    Effect.tryPromise({ try: (signal) => perform(call, { signal, tell }), catch: asFailure }).pipe(
      Effect.tapError((failure) => Effect.sync(() => isLost(failure) && lose())),
      Effect.retry({ ...AGAIN, while: isLost })
    ),
    { signal }
  )

/** What a failure says about what was done. **Shape** after a loss a refusal is about the repetition alone. */
const phaseOf = ({ code }: ApiFailure, wasLost: boolean): Phase => {
  if (code === "outcome_unknown" || code === "internal_error") return "unknown"
  return wasLost || code === "no_answer" ? "lost" : "refused"
}

/** Performs changes of many workloads, one call at a time, as long as its component is shown. */
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
    // A call that may have been begun before is not nothing when its repetition is refused.
    let wasLost = first.phase === "lost" || first.phase === "left"
    const update = (change: (run: BulkRun) => BulkRun) =>
      setRun((before) => (before === undefined || mine.signal.aborted ? before : change(before)))
    setRun(resent(first))
    setFailure(undefined)
    setReconnecting(false)
    try {
      const tell = (outcome: Outcome) => {
        setReconnecting(false)
        update((now) => told(now, outcome))
      }
      const lose = () => {
        wasLost = true
        setReconnecting(true)
      }
      const end = await performSurely(first, { tell, lose }, mine.signal)
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
