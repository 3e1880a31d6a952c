/**
 * One entry of an open hour as a line of a file, with a checksum that tells a whole line from a damaged one.
 */
import { Result, Schema } from "effect"
import { crc32 } from "node:zlib"
import { JournalEntry } from "./JournalEntry.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(JournalEntry))
const CHECKSUM_LENGTH = 8

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_LENGTH, "0")

/** Prints an entry with its end of line. */
export const print = (entry: JournalEntry): string => {
  const json = JSON.stringify(entry)
  return `${checksumOf(json)} ${json}\n`
}

/** Parses a line without its end; one that a crash cut, or a disk damaged, gives nothing. */
export const parse = (line: string): JournalEntry | undefined => {
  const json = line.slice(CHECKSUM_LENGTH + 1)
  if (line.slice(0, CHECKSUM_LENGTH) !== checksumOf(json)) return undefined
  return Result.getOrUndefined(decode(json))
}
