/**
 * Streams a followed log: the current value of the pod's annotation, then the text appended to it.
 */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
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
  { container, first, isOver: hasEnded, pod, written }: LogReply
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const added = yield* Queue.unbounded<string, Cause.Done>()
    let known = written
    const unsubscribe = kernel.store.subscribe(Resources.pods, ({ after, before }) => {
      if ((after ?? before)?.uid !== pod.uid) return
      if (after === undefined) {
        Queue.endUnsafe(added)
        return
      }
      const object = read(after)
      const now = writtenBy(object, container) ?? ""
      // If the old text is no longer a prefix, the log was rotated, so the whole new text is sent.
      if (now !== known) Queue.offerUnsafe(added, now.startsWith(known) ? now.slice(known.length) : now)
      known = now
      if (isOver(object)) Queue.endUnsafe(added)
    })
    yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
    if (hasEnded) Queue.endUnsafe(added)
    response.writeHead(200, { ...HEADERS, "content-type": "text/plain; charset=utf-8" })
    response.flushHeaders()
    for (const piece of first) yield* write(response, piece)
    yield* Stream.runForEach(Stream.fromQueue(added), (piece) => write(response, piece))
    response.end()
  })
