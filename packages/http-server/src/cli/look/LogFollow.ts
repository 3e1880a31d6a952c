/**
 * Prints a followed log, and the reason for its end on standard error.
 */
import { LOG_END } from "@quarterdeck/contract/PodGroup"
import { Effect, Stream } from "effect"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"

/** The reason for the end of a log whose container has ended. */
const ENDED = "container_ended"

/**
 * Prints a log as it arrives.
 *
 * **Shape** a line that looks like the server's closing line is held back until another line follows, because a container may
 * write such a line too.
 *
 * **Errors** `CommandFailure` if the log is truncated, or ends for another reason than the end of the container.
 */
export const print = Effect.fnUntraced(function* <R>(bytes: Stream.Stream<Uint8Array, CommandFailure, R>) {
  const text = new FollowedText()
  const shown = Stream.map(Stream.decodeText(bytes), (part) => PlainText.log(text.push(part)))
  yield* Print.parts(shown)
  const why = text.end
  if (why === undefined) {
    yield* Print.output(PlainText.log(text.held))
    return yield* failed("the log is truncated")
  }
  const note = `the log ends here: ${why}`
  return yield* why.startsWith(ENDED) ? Print.note(note) : failed(note)
})

/** Splits the text of a followed log into text to print and a last line to hold back. */
export class FollowedText {
  #held = ""
  #isMidLine = false

  /** Adds a part, and returns the text that can be printed. */
  push(part: string): string {
    const parts = (this.#held + part).split(/(?<=\n)/)
    const last = parts.at(-1) ?? ""
    const isHeld = (parts.length > 1 || !this.#isMidLine) && isEnd(last)
    this.#held = isHeld ? last : ""
    const shown = (isHeld ? parts.slice(0, -1) : parts).join("")
    if (shown !== "") this.#isMidLine = !shown.endsWith("\n")
    return shown
  }

  /** The text that is held back. */
  get held(): string {
    return this.#held
  }

  /** The reason for the end, from the server's closing line; undefined without that line. */
  get end(): string | undefined {
    return this.#held.endsWith("\n") ? this.#held.slice(LOG_END.length).trimEnd() : undefined
  }
}

/** Reports whether a line is, or may become, the server's closing line. */
const isEnd = (line: string): boolean =>
  line !== "" && (line.length < LOG_END.length ? LOG_END.startsWith(line) : line.startsWith(LOG_END))
