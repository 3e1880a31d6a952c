/**
 * The log of a container: read once, or followed.
 */
import { Effect } from "effect"
import { useEffect, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { followLog, type LogParameters, type PodName, readLog } from "../api/PodQueries.ts"
import * as LogText from "./LogText.ts"

/** A log and how it is read. **Shape** `isCut` if the server left older lines out. */
interface LogState {
  readonly buffer: LogText.LogBuffer
  readonly isCut: boolean
  readonly state: "loading" | "following" | "ended" | "read"
  readonly failure: ApiFailure | undefined
}

const LOADING: LogState = { buffer: LogText.EMPTY, isCut: false, state: "loading", failure: undefined }
/** New lines within this interval are shown together. */
const SHOWN_EVERY_MS = 250

interface LogRequest {
  readonly pod: PodName
  readonly parameters: LogParameters
  readonly isFollowed: boolean
}

type Show = (log: LogState) => void

const failureOf = (error: unknown): ApiFailure | undefined => (error instanceof ApiFailure ? error : undefined)

const readOnce = ({ parameters, pod }: LogRequest, show: Show): Effect.Effect<void> =>
  Effect.tryPromise({ try: (signal) => readLog(pod, parameters, signal), catch: failureOf }).pipe(
    Effect.match({
      onSuccess: ({ isCut, text }) =>
        show({ buffer: LogText.append(LogText.EMPTY, text), isCut, state: "read", failure: undefined }),
      onFailure: (failure) => show({ ...LOADING, state: "ended", failure })
    })
  )

const followLines = ({ parameters, pod }: LogRequest, show: Show): Effect.Effect<void> =>
  Effect.suspend(() => {
    let log = LOADING
    let received = ""
    const add = (part: Partial<LogState>) => {
      log = { ...log, ...part, buffer: LogText.append(log.buffer, received) }
      received = ""
      show(log)
    }
    const onText = (text: string) => {
      received += text
    }
    const reading = Effect.tryPromise({
      try: (signal) => followLog(pod, parameters, { signal, onOpen: () => add({ state: "following" }), onText }),
      catch: failureOf
    }).pipe(
      Effect.match({
        onSuccess: () => add({ state: "ended" }),
        onFailure: (failure) => add({ state: "ended", failure })
      })
    )
    const showing = Effect.sync(() => {
      if (received !== "") add({})
    }).pipe(Effect.delay(SHOWN_EVERY_MS), Effect.forever)
    return Effect.raceFirst(reading, showing)
  })

/** Returns the same request while its content stays the same. **Shape** a new `attempt` makes a new request. */
const useStableRequest = (request: LogRequest, attempt: number): LogRequest => {
  const key = JSON.stringify([request, attempt])
  const [state, setState] = useState({ key, request })
  if (state.key === key) return state.request
  setState({ key, request })
  return request
}

/** Reads a log. If the log is followed, adds new lines as they are written. `again` reads the log from the start. */
export const useLog = (asked: LogRequest): LogState & { readonly again: () => void } => {
  const [attempt, setAttempt] = useState(0)
  const request = useStableRequest(asked, attempt)
  const [shown, setShown] = useState({ request, log: LOADING })
  useEffect(() => {
    const controller = new AbortController()
    const show = (log: LogState) => setShown({ request, log })
    Effect.runFork((request.isFollowed ? followLines : readOnce)(request, show), { signal: controller.signal })
    return () => controller.abort()
  }, [request])
  return { ...(shown.request === request ? shown.log : LOADING), again: () => setAttempt((count) => count + 1) }
}
