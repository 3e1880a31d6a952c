/**
 * Replies that are files, as the OpenAPI document tells of them.
 */
import * as ReplyForm from "./ReplyForm.ts"

/** The media type of comma-separated values. **Source** RFC 4180 §3. */
export const CSV_MEDIA_TYPE = "text/csv; charset=utf-8; header=present"

/** What stands for the reply's `partial`, which a file has no place for. */
const PARTIAL = {
  "X-Quarterdeck-Partial": {
    description:
      "With a file alone: what partial is in JSON. For how much of its time each cluster was seen stands in columns of the file.",
    schema: { type: "string", enum: ["true", "false"] }
  }
}

/** Adds comma-separated values to what an operation replies with 200. */
export const describeFile = (operation: Record<string, unknown>): Record<string, unknown> =>
  ReplyForm.add(operation, "text/csv", {
    description: "Comma-separated values, with a header line.",
    headers: PARTIAL
  })
