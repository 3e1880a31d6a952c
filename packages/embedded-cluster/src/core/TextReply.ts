/**
 * An answer that is one text.
 */
import type { JsonObject } from "./Json.ts"

/** What the client is told beside the answer. */
export interface Beside {
  readonly warnings?: ReadonlyArray<string>
  /** When it is worth asking again. */
  readonly retryAfterSeconds?: number
}

/** A text and what the client is told beside it. */
export interface TextReply extends Beside {
  readonly _tag: "Text"
  readonly status: number
  readonly contentType: string
  readonly body: string
}

export const JSON_TYPE = "application/json"

export const json = (body: JsonObject, status = 200): TextReply => ({
  _tag: "Text",
  status,
  contentType: JSON_TYPE,
  body: JSON.stringify(body)
})

export const text = (body: string, status = 200): TextReply => ({
  _tag: "Text",
  status,
  contentType: "text/plain; charset=utf-8",
  body
})
