/**
 * The end of a log that arrives in pieces.
 *
 * @since 0.1.0
 */

/** Lines that are kept, and characters of each: about 2 MB at most. */
const KEPT_LINES = 2_000
const KEPT_CHARACTERS = 1_000

export interface LogTail {
  /** Takes the next piece, which may end within a line. */
  readonly push: (piece: string) => void
  /** The newest lines, the newest last. */
  readonly lines: () => ReadonlyArray<string>
}

/** **Limits** keeps the newest 2,000 lines, and 1,000 characters of each. */
export const make = (): LogTail => {
  const kept: Array<string> = []
  let open = ""
  return {
    push: (piece) => {
      const lines = (open + piece).split("\n")
      open = (lines.pop() ?? "").slice(0, KEPT_CHARACTERS)
      for (const line of lines) kept.push(line.slice(0, KEPT_CHARACTERS))
      if (kept.length > KEPT_LINES) kept.splice(0, kept.length - KEPT_LINES)
    },
    lines: () => (open === "" ? [...kept] : [...kept, open])
  }
}

/** Gathers what a stream says from now on. */
export const followInto = (log: LogTail, stream: NodeJS.ReadableStream): void => {
  stream.on("data", (piece: string | Buffer) => log.push(piece.toString()))
  // A log that breaks off is a shorter log.
  stream.on("error", () => stream.removeAllListeners("data"))
}
