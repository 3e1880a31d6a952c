/**
 * Prints a log that goes on, and tells on standard error why it ended.
 */
import { LOG_END } from "@quarterdeck/contract/PodGroup"
import { Effect, Stream } from "effect"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"

/** The end that a log has by itself. */
const ENDED = "container_ended"

/**
 * Prints what comes, as it comes.
 *
 * **Shape** a line that says why the log ended is held back until another follows it: a container may write such a line too.
 *
 * **Errors** `CommandFailure` for any end but that of the container, and for a log that breaks off.
 */
export const print = Effect.fnUntraced(function* <R>(bytes: Stream.Stream<Uint8Array, CommandFailure, R>) {
  const text = new FollowedText()
  const shown = Stream.map(Stream.decodeText(bytes), (part) => PlainText.log(text.push(part)))
  yield* Print.parts(shown)
  const why = text.end
  if (why === undefined) {
    yield* Print.output(PlainText.log(text.held))
    return yield* failed("the log broke off")
  }
  const note = `the log ends here: ${why}`
  return yield* why.startsWith(ENDED) ? Print.note(note) : failed(note)
})

/** The text of a log so far. */
export class FollowedText {
  #held = ""
  #isMidLine = false

  /** Takes a part, and gives what can be shown by now. */
  push(part: string): string {
    const parts = (this.#held + part).split(/(?<=\n)/)
    const last = parts.at(-1) ?? ""
    const isHeld = (parts.length > 1 || !this.#isMidLine) && isEnd(last)
    this.#held = isHeld ? last : ""
    const shown = (isHeld ? parts.slice(0, -1) : parts).join("")
    if (shown !== "") this.#isMidLine = !shown.endsWith("\n")
    return shown
  }

  /** What was not shown. */
  get held(): string {
    return this.#held
  }

  /** Why it ended: the rest of its last line, if that says so. */
  get end(): string | undefined {
    return this.#held.endsWith("\n") ? this.#held.slice(LOG_END.length).trimEnd() : undefined
  }
}

/** Whether a line is, or may become, the one that says why the log ended. */
const isEnd = (line: string): boolean =>
  line !== "" && (line.length < LOG_END.length ? LOG_END.startsWith(line) : line.startsWith(LOG_END))
