/**
 * Hashes of sessions that may be open, held in memory.
 */
import type { SessionHash } from "./SessionId.ts"

/** Beyond this many, the hash used longest ago is dropped. **Units** some 100 bytes each. */
export const MAX_KNOWN = 100_000

export class KnownSessions {
  /** In the order of use: a set keeps the order in which its members were added. */
  readonly #hashes: Set<SessionHash>

  constructor(newestFirst: ReadonlyArray<SessionHash>) {
    this.#hashes = new Set(newestFirst.toReversed())
  }

  has(hash: SessionHash): boolean {
    return this.#hashes.has(hash)
  }

  /** Notes whether a session was found open. */
  note(hash: SessionHash, isOpen: boolean): void {
    this.#hashes.delete(hash)
    if (!isOpen) return
    const [oldest] = this.#hashes
    if (this.#hashes.size >= MAX_KNOWN && oldest !== undefined) this.#hashes.delete(oldest)
    this.#hashes.add(hash)
  }
}
