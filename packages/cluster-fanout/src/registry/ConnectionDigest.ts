/** Derives an identifier of a connection from its content, without revealing the content. */
import { Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import type { Connection } from "./Cluster.ts"

/** Random for each process, so that a digest in a log cannot be used to guess a password. */
const SALT = randomBytes(32)

/** Returns the digest of a list of texts. */
export const digest = (texts: ReadonlyArray<string>): string =>
  createHmac("sha256", SALT).update(JSON.stringify(texts)).digest("hex").slice(0, 32)

/**
 * Returns a connection's identifier, the `generation` of its cluster. Equal connections have equal identifiers within
 * one process.
 */
export const generationOf = (connection: Connection): string => digest([JSON.stringify(connection, reveal)])

/** Serialises a redacted value by its content, because its own text is always `<redacted>`. */
function reveal(this: Readonly<Record<string, unknown>>, key: string, printed: unknown): unknown {
  const value = this[key]
  return Redacted.isRedacted(value) ? { secret: Redacted.value(value) } : printed
}
