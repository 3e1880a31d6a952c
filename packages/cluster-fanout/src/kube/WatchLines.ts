/** Decodes the lines or frames of a watch one at a time. */
import { Result } from "effect"
import type { KubeObject, WatchEvent } from "./KubeObject.ts"
import type { WireForm } from "./WireForm.ts"
import type { Received } from "./ListWatchState.ts"

/** The events of some lines, up to an error event. */
export interface Taken extends Received {
  readonly error?: { readonly status: unknown }
}

export interface WatchLines {
  /** Decodes the next line. Returns whether more remain. */
  readonly step: () => boolean
  /** Returns the events of all decoded lines. **Errors** the problem of an invalid line. */
  readonly taken: () => Result.Result<Taken, string>
}

/** Starts to decode lines. **Shape** `before` is the state before these lines. */
export const read = (
  lines: ReadonlyArray<Buffer>,
  before: Pick<Taken, "isInitial" | "resourceVersion">,
  { readEvent }: Pick<WireForm, "readEvent">
): WatchLines => {
  const events: Array<WatchEvent> = []
  let { isInitial, resourceVersion } = before
  let error: Taken["error"]
  let problem: string | undefined
  let at = 0

  const step = (): boolean => {
    const line = lines[at++]
    if (line === undefined) return false
    const decoded = readEvent(line)
    if (Result.isFailure(decoded)) {
      problem = decoded.failure
      return false
    }
    const event = decoded.success
    if (event === undefined) return true
    if (event.type === "ERROR") {
      error = event
      return false
    }
    if (event.type === "BOOKMARK") {
      resourceVersion = event.resourceVersion
      if (!isInitial) events.push({ _tag: "Bookmark", resourceVersion })
      else if (event.endsInitial) events.push({ _tag: "Synced", resourceVersion })
      if (event.endsInitial) isInitial = false
      return true
    }
    resourceVersion = event.object.metadata.resourceVersion
    events.push(event.type === "DELETED" ? { _tag: "Delete", object: event.object } : put(event.object))
    return true
  }

  const taken = (): Result.Result<Taken, string> =>
    problem === undefined
      ? Result.succeed({ events, isInitial, resourceVersion, ...(error !== undefined && { error }) })
      : Result.fail(problem)

  return { step, taken }
}

const put = (object: KubeObject): WatchEvent => ({ _tag: "Put", object })
