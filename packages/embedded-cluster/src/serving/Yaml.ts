/**
 * Converts replies to YAML for clients that ask for it.
 *
 * **Source** Kubernetes, "API concepts: Resource representations"; the format of the real server's replies.
 */
import { stringify } from "yaml"
import { type Json, parse } from "../core/Json.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import { JSON_TYPE } from "../core/TextReply.ts"
import { YAML_TYPE } from "../forms/Representation.ts"
import type { Reply } from "./Reply.ts"

const SUPPORTED = new Set([JSON_TYPE, "application/*", "*/*", YAML_TYPE])

/** Returns whether YAML is the first supported media type that the client accepts. */
const isWanted = (accept: string | undefined): boolean =>
  mediaRanges(accept).find(({ type }) => SUPPORTED.has(type))?.type === YAML_TYPE

/**
 * Converts a JSON reply to YAML if the client prefers it.
 *
 * **Limits** the whole reply is in memory, even for a long list.
 */
export const inYaml = (accept: string | undefined, reply: Reply): Reply => {
  if (!isWanted(accept)) return reply
  if (reply._tag === "Text" && reply.contentType === JSON_TYPE)
    return { ...reply, contentType: YAML_TYPE, body: print(parse(reply.body)) }
  if (reply._tag !== "Pieces") return reply
  const { pieces, ...rest } = reply
  return { ...rest, _tag: "Text", contentType: YAML_TYPE, body: print(parse([...pieces].join(""))) }
}

/** Prints YAML. Version 1.1 quotes words that some parsers read as booleans, such as `y`. */
const print = (value: Json): string => stringify(value, { version: "1.1", sortMapEntries: true, indentSeq: false })
