/**
 * Text that a command reads from a file or from standard input.
 */
import { Effect, FileSystem, Option, Result, Stdio, Stream } from "effect"
import { failed } from "../print/CommandFailure.ts"
import * as SystemRefusal from "../../settings/SystemRefusal.ts"

/** Returns the name of an input for messages. `-` is `standard input`. */
export const nameOf = (path: string): string => (path === "-" ? "standard input" : path)

/**
 * Reads a file, or standard input for `-`.
 *
 * **Errors** `CommandFailure` if the input cannot be read, exceeds `maxBytes` or is not UTF-8.
 *
 * **Limits** stops reading above `maxBytes`.
 */
export const read = Effect.fn("Input.read")(function* (path: string, maxBytes: number) {
  const files = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  const refused = ({ reason }: { readonly reason: Parameters<typeof SystemRefusal.print>[0] }) =>
    failed(`cannot read ${nameOf(path)}: ${SystemRefusal.print(reason)}`)
  if (path !== "-") {
    const { type } = yield* Effect.mapError(files.stat(path), refused)
    if (type === "Directory") return yield* failed(`cannot read ${path}: it is a directory`)
  }
  const bytes = path === "-" ? stdio.stdin : files.stream(path)
  const last = yield* bytes.pipe(
    Stream.scan(
      (): Read => ({ parts: [], size: 0 }),
      (earlier, part) => ({
        parts: [...earlier.parts, part],
        size: earlier.size + part.length
      })
    ),
    Stream.takeUntil(({ size }) => size > maxBytes),
    Stream.runLast,
    Effect.mapError(refused)
  )
  const { parts, size } = Option.getOrElse(last, (): Read => ({ parts: [], size: 0 }))
  if (size > maxBytes) return yield* failed(`${nameOf(path)} is longer than ${maxBytes} bytes`)
  const text = Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)))
  return yield* Effect.fromResult(text).pipe(Effect.mapError(() => failed(`${nameOf(path)} is not text in UTF-8`)))
})

interface Read {
  readonly parts: ReadonlyArray<Uint8Array>
  readonly size: number
}
