/**
 * Writes a log that goes on: what its pod's annotation holds, then what is added to it.
 */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { ServerResponse } from "node:http"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { read } from "../core/Stored.ts"
import { isOver, type LogReply, writtenBy } from "../writes/PodLogs.ts"
import { HEADERS, write } from "./ReplyWriter.ts"

/** Sends it until the pod has ended, is gone, or the request is interrupted. **Limits** a slow reader holds up only itself. */
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
      // A text that is no longer the beginning was rotated away, as a kubelet does it.
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
