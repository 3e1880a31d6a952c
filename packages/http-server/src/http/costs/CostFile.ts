/**
 * Replies that are files of costs, written while they are sent.
 */
import { FileReply } from "@quarterdeck/contract"
import type { CostError } from "@quarterdeck/cost/CostError"
import type { ReportWindow } from "@quarterdeck/cost/CostRow"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** A file has no place for coverage: the header says whether something of the window is missing. */
const PARTIAL_HEADER = "x-quarterdeck-partial"

/** What is told beside the rows. **Shape** `what` names the file, together with the window that it covers. */
export interface FileFacts {
  readonly what: string
  readonly window: ReportWindow
  readonly partial: boolean
}

/** Names a file by what it holds and its window. **Example** `costs-2026-03-01T1000Z-2026-03-08T1020Z.csv` */
const nameOf = ({ what, window: { end, start } }: FileFacts): string =>
  `${what}-${minuteOf(start)}-${minuteOf(end)}.csv`

const minuteOf = (instant: string): string => `${instant.slice(0, 16).replace(":", "")}Z`

/**
 * Makes the reply.
 *
 * **Shape** a failure on the way is logged, and cuts the reply off, so that no caller takes a part for the whole.
 *
 * **Limits** one part of the text is held; the caller's pace is kept, and the work ends when the caller goes away.
 */
export const reply = (
  facts: FileFacts,
  text: Stream.Stream<string, CostError>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    text.pipe(
      Stream.tapError((error) => Effect.logError("a file of costs was cut off", error)),
      Stream.encodeText
    ),
    {
      contentType: FileReply.CSV_MEDIA_TYPE,
      headers: {
        "content-disposition": `attachment; filename="${nameOf(facts)}"`,
        [PARTIAL_HEADER]: String(facts.partial)
      }
    }
  )
