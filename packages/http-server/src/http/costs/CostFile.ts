/**
 * Cost reports as CSV files, streamed to the client.
 */
import { FileReply } from "@quarterdeck/contract"
import type { CostError } from "@quarterdeck/cost/CostError"
import type { ReportWindow } from "@quarterdeck/cost/CostRow"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** Header that is `true` if costs of the window are missing. A file cannot contain coverage. */
const PARTIAL_HEADER = "x-quarterdeck-partial"

/** Facts of a file in addition to its rows. **Shape** the file name consists of `what` and the window. */
export interface FileFacts {
  readonly what: string
  readonly window: ReportWindow
  readonly partial: boolean
}

/** Returns the name of a file. **Example** `costs-2026-03-01T1000Z-2026-03-08T1020Z.csv` */
const nameOf = ({ what, window: { end, start } }: FileFacts): string =>
  `${what}-${minuteOf(start)}-${minuteOf(end)}.csv`

const minuteOf = (instant: string): string => `${instant.slice(0, 16).replace(":", "")}Z`

/**
 * Makes the reply.
 *
 * **Shape** a failure is logged and aborts the reply, so that the client notices the incomplete file.
 *
 * **Limits** one chunk of the text is in memory. The file is read at the client's pace, and stops if the client disconnects.
 */
export const reply = (
  facts: FileFacts,
  text: Stream.Stream<string, CostError>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    text.pipe(
      Stream.tapError((error) =>
        Effect.logError("aborted the download of a cost file because the costs could not be read", error)
      ),
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
