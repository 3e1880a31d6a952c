/**
 * The lines of a log, and a text found in them.
 */

/** Lines kept of a followed log. Older ones are dropped. */
export const MAX_LINES = 10_000

/** A log as it is received. **Shape** `rest` is the last line while it has no end. `dropped` counts older lines. */
export interface LogBuffer {
  readonly lines: ReadonlyArray<string>
  readonly rest: string
  readonly dropped: number
}

export const EMPTY: LogBuffer = { lines: [], rest: "", dropped: 0 }

/** Appends text, which may be cut anywhere. **Limits** keeps {@link MAX_LINES} lines. */
export const append = ({ dropped, lines, rest }: LogBuffer, text: string): LogBuffer => {
  const parts = `${rest}${text}`.split("\n")
  const last = parts.pop() ?? ""
  const all = [...lines, ...parts]
  const excess = Math.max(0, all.length - MAX_LINES)
  return { lines: excess === 0 ? all : all.slice(excess), rest: last, dropped: dropped + excess }
}

/** Returns every line, also the last one without an end. */
export const linesOf = ({ lines, rest }: LogBuffer): ReadonlyArray<string> => (rest === "" ? lines : [...lines, rest])

/** A place in the log where the text was found. */
export interface Match {
  readonly line: number
  readonly start: number
}

/** Matches counted at most. */
export const MAX_MATCHES = 10_000

/** Finds a text, in any case. **Shape** empty for an empty text. **Limits** {@link MAX_MATCHES} matches, none overlap. */
export const find = (lines: ReadonlyArray<string>, text: string): ReadonlyArray<Match> => {
  if (text === "") return []
  const pattern = new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), "gi")
  const matches: Array<Match> = []
  for (const [line, content] of lines.entries()) {
    for (const { index } of content.matchAll(pattern)) {
      matches.push({ line, start: index })
      if (matches.length === MAX_MATCHES) return matches
    }
  }
  return matches
}
