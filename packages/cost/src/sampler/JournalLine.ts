/**
 * A journal entry as one line of a file, with a checksum that reveals damaged lines.
 */
import { Result, Schema } from "effect"
import { crc32 } from "node:zlib"
import { JournalEntry } from "./JournalEntry.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(JournalEntry))
const CHECKSUM_LENGTH = 8

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_LENGTH, "0")

/** Formats an entry, including the line break. */
export const print = (entry: JournalEntry): string => {
  const json = JSON.stringify(entry)
  return `${checksumOf(json)} ${json}\n`
}

/** Parses a line without its line break. **Shape** `undefined` if it was cut by a crash or damaged. */
export const parse = (line: string): JournalEntry | undefined => {
  const json = line.slice(CHECKSUM_LENGTH + 1)
  if (line.slice(0, CHECKSUM_LENGTH) !== checksumOf(json)) return undefined
  return Result.getOrUndefined(decode(json))
}
