/**
 * Hashes of sessions that may be open, held in memory.
 */
import type { SessionHash } from "./SessionId.ts"

/** Maximum number of hashes. Beyond it, the least recently used hash is evicted. **Units** about 100 bytes each. */
export const MAX_KNOWN = 100_000

export class KnownSessions {
  /** Least recently used first: a set iterates in insertion order. */
  readonly #hashes: Set<SessionHash>

  constructor(newestFirst: ReadonlyArray<SessionHash>) {
    this.#hashes = new Set(newestFirst.toReversed())
  }

  has(hash: SessionHash): boolean {
    return this.#hashes.has(hash)
  }

  /** Records whether a session was found open. */
  note(hash: SessionHash, isOpen: boolean): void {
    this.#hashes.delete(hash)
    if (!isOpen) return
    const [oldest] = this.#hashes
    if (this.#hashes.size >= MAX_KNOWN && oldest !== undefined) this.#hashes.delete(oldest)
    this.#hashes.add(hash)
  }
}
