/** Reads a response body piece by piece, in step with the consumer and open to interruption between pieces. */
import { Effect, Option } from "effect"
import type { Readable } from "node:stream"

/**
 * Makes the effect that gives the next piece, none at the end.
 *
 * An async iterator would not do: its `return` waits for a pending read, so an interrupted fiber would hang on a quiet
 * watch. **Errors** what the stream was destroyed with.
 */
export const make = (body: Readable): Effect.Effect<Option.Option<Buffer>, unknown> => {
  let wake: (() => void) | undefined
  const ring = () => wake?.()
  // The listener for errors also outlives the reader: a body that is aborted late has nobody else to tell.
  for (const event of ["readable", "end", "error", "close"]) body.on(event, ring)
  return Effect.callback<Option.Option<Buffer>, unknown>((resume) => {
    const settle = () => {
      const next = look(body)
      wake = next === undefined ? settle : undefined
      if (next !== undefined) resume(next)
    }
    settle()
    return Effect.sync(() => {
      wake = undefined
    })
  })
}

const look = (body: Readable): Effect.Effect<Option.Option<Buffer>, unknown> | undefined => {
  const piece: unknown = body.read()
  if (Buffer.isBuffer(piece)) return Effect.succeed(Option.some(piece))
  if (body.readableEnded) return Effect.succeed(Option.none())
  if (body.errored !== null) return Effect.fail(body.errored)
  return body.closed ? Effect.fail(new Error("the connection closed before the end of the body")) : undefined
}
