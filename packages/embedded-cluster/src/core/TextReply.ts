/**
 * A reply whose body is one text.
 */
import type { JsonObject } from "./Json.ts"

/** Headers of a reply. */
export interface Beside {
  readonly warnings?: ReadonlyArray<string>
  /** Seconds after which the client may retry. */
  readonly retryAfterSeconds?: number
}

/** A text and the headers of its reply. */
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
