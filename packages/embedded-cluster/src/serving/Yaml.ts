/**
 * Answers in YAML, for clients that ask for it.
 *
 * **Source** Kubernetes, "API concepts: Resource representations"; the form is that of the real server's answers.
 */
import { stringify } from "yaml"
import { type Json, parse } from "../core/Json.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import { JSON_TYPE } from "../core/TextReply.ts"
import { YAML_TYPE } from "../forms/Representation.ts"
import type { Reply } from "./Reply.ts"

const SPOKEN = new Set([JSON_TYPE, "application/*", "*/*", YAML_TYPE])

/** Whether YAML is the first form that the client names and the server has. */
const isWanted = (accept: string | undefined): boolean =>
  mediaRanges(accept).find(({ type }) => SPOKEN.has(type))?.type === YAML_TYPE

/**
 * Turns an answer in JSON into YAML where the client wants that.
 *
 * **Limits** the whole answer is held in memory, a long list too.
 */
export const inYaml = (accept: string | undefined, reply: Reply): Reply => {
  if (!isWanted(accept)) return reply
  if (reply._tag === "Text" && reply.contentType === JSON_TYPE)
    return { ...reply, contentType: YAML_TYPE, body: print(parse(reply.body)) }
  if (reply._tag !== "Pieces") return reply
  const { pieces, ...rest } = reply
  return { ...rest, _tag: "Text", contentType: YAML_TYPE, body: print(parse([...pieces].join(""))) }
}

/** Version 1.1 quotes the words that its readers take for truth values, such as `y`. */
const print = (value: Json): string => stringify(value, { version: "1.1", sortMapEntries: true, indentSeq: false })
