/** Names a connection by its content, without giving away what the content is. */
import { Redacted } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import type { Connection } from "./Cluster.ts"

/** Per process: a generation in a log line cannot be used to try passwords against it. */
const SALT = randomBytes(32)

/** Digests texts, each one told apart from its neighbours. */
export const digest = (texts: ReadonlyArray<string>): string =>
  createHmac("sha256", SALT).update(JSON.stringify(texts)).digest("hex").slice(0, 32)

/** Gives equal connections equal generations, within one process. */
export const generationOf = (connection: Connection): string => digest([JSON.stringify(connection, reveal)])

/** A redacted value prints as `<redacted>` whatever it holds, so the holder is asked for the value itself. */
function reveal(this: Readonly<Record<string, unknown>>, key: string, printed: unknown): unknown {
  const value = this[key]
  return Redacted.isRedacted(value) ? { secret: Redacted.value(value) } : printed
}
