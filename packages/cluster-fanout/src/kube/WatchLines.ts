/** Reads what lines or frames of a watch tell, one by one. */
import { Result } from "effect"
import type { KubeObject, WatchEvent } from "./KubeObject.ts"
import type { WireForm } from "./WireForm.ts"
import type { Received } from "./ListWatchState.ts"

/** What lines of a watch told, up to the error that one of them is. */
export interface Taken extends Received {
  readonly error?: { readonly status: unknown }
}

export interface WatchLines {
  /** Reads the next line. **Shape** gives whether there is more to read. */
  readonly step: () => boolean
  /** Gives what all lines told that were read. **Errors** the problem of a line that is none. */
  readonly taken: () => Result.Result<Taken, string>
}

/** Begins to read lines. **Shape** `before` is what was known when they came. */
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
