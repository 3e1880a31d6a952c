/**
 * Streams a followed log: the current text, then the text appended to it.
 */
import { type Cause, Effect, Queue, Schedule, type Scope, Stream } from "effect"
import type { ServerResponse } from "node:http"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { read } from "../core/Stored.ts"
import { isOver, type LogReply, writtenBy } from "../writes/PodLogs.ts"
import { HEADERS, write } from "./ReplyWriter.ts"

/**
 * Streams the log until the pod finishes, is deleted, or the request is interrupted. **Limits** a slow reader delays
 * only its own stream.
 */
export const send = (
  kernel: Kernel,
  response: ServerResponse,
  { container, first, form, isOver: hasEnded, isTimed, pod, written }: LogReply
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const added = yield* Queue.unbounded<string, Cause.Done>()
    let known = written
    const show = (now: string) => {
      if (now !== known) Queue.offerUnsafe(added, form(appended(known, now, isTimed)))
      known = now
    }
    const unsubscribe = kernel.store.subscribe(Resources.pods, ({ after, before }) => {
      if ((after ?? before)?.uid !== pod.uid) return
      if (after === undefined) {
        Queue.endUnsafe(added)
        return
      }
      const object = read(after)
      show(writtenBy(kernel, object, container) ?? "")
      if (isOver(object)) Queue.endUnsafe(added)
    })
    yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
    if (hasEnded) Queue.endUnsafe(added)
    // An annotation changes with its pod, but the log from the option `podLog` grows without a change of the pod.
    else if (kernel.podLog !== undefined) {
      const look = Effect.sync(() => {
        const current = kernel.store.get(Resources.pods, pod.key)
        if (current?.uid === pod.uid) show(writtenBy(kernel, read(current), container) ?? "")
      })
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(EVERY)))
    }
    response.writeHead(200, { ...HEADERS, "content-type": "text/plain; charset=utf-8" })
    response.flushHeaders()
    for (const piece of first) yield* write(response, piece)
    yield* Stream.runForEach(Stream.fromQueue(added), (piece) => write(response, piece))
    response.end()
  })

/** Interval at which a log from the option `podLog` is read again. */
const EVERY = "1 second"

/**
 * Returns the text of `now` that follows `known`. If `now` does not start with `known`, the log was rotated: returns all of
 * `now`. With `isTimed` every line is unique, so it returns the text after the last known line if `now` contains that line.
 */
const appended = (known: string, now: string, isTimed: boolean): string => {
  if (now.startsWith(known)) return now.slice(known.length)
  const last = known.slice(known.lastIndexOf("\n", known.length - 2) + 1)
  const at = isTimed && last.endsWith("\n") ? `\n${now}`.indexOf(`\n${last}`) : -1
  return at < 0 ? now : now.slice(at + last.length)
}
