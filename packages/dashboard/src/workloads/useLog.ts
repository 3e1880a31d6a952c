/**
 * The log of a container: read once, or followed.
 */
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

const readOnce = ({ parameters, pod }: LogRequest, show: Show, signal: AbortSignal): void => {
  readLog(pod, parameters, signal).then(
    ({ isCut, text }) => {
      const buffer = LogText.append(LogText.EMPTY, text)
      if (!signal.aborted) show({ buffer, isCut, state: "read", failure: undefined })
    },
    (error: unknown) => {
      if (!signal.aborted) show({ ...LOADING, state: "ended", failure: failureOf(error) })
    }
  )
}

const followIt = ({ parameters, pod }: LogRequest, show: Show, signal: AbortSignal): void => {
  let log: LogState = LOADING
  let received = ""
  const flush = (part: Partial<LogState>) => {
    if (signal.aborted) return
    log = { ...log, ...part, buffer: LogText.append(log.buffer, received) }
    received = ""
    show(log)
  }
  const timer = setInterval(() => {
    if (received !== "") flush({ state: "following" })
  }, SHOWN_EVERY_MS)
  signal.addEventListener("abort", () => clearInterval(timer))
  const onOpen = () => flush({ state: "following" })
  const onText = (text: string) => {
    received += text
  }
  followLog(pod, parameters, { signal, onOpen, onText })
    .then(
      () => flush({ state: "ended" }),
      (error: unknown) => flush({ state: "ended", failure: failureOf(error) })
    )
    .finally(() => clearInterval(timer))
}

/** Returns the same request while its content stays the same. **Shape** a new `attempt` makes a new request. */
const useStableRequest = (request: LogRequest, attempt: number): LogRequest => {
  const key = JSON.stringify([request, attempt])
  const [state, setState] = useState({ key, request })
  if (state.key === key) return state.request
  setState({ key, request })
  return request
}

/** Reads a log, and adds lines as they are written if it is followed. `again` starts anew. */
export const useLog = (asked: LogRequest): LogState & { readonly again: () => void } => {
  const [attempt, setAttempt] = useState(0)
  const request = useStableRequest(asked, attempt)
  const [shown, setShown] = useState({ request, log: LOADING })
  useEffect(() => {
    const controller = new AbortController()
    const show = (log: LogState) => setShown({ request, log })
    const start = request.isFollowed ? followIt : readOnce
    start(request, show, controller.signal)
    return () => controller.abort()
  }, [request])
  return { ...(shown.request === request ? shown.log : LOADING), again: () => setAttempt((count) => count + 1) }
}
