/**
 * Replies that are kept for a moment, within a bound of bytes.
 */

/** What is kept of a reply. **Units** `bytes` is what it takes, `madeAt` milliseconds by `steadyClock`. */
export interface Kept {
  readonly bytes: number
  readonly madeAt: number
}

/** What a reply takes beside its body. */
const OVERHEAD_BYTES = 2_048

export class HotReplies<Reply extends Kept> {
  readonly #maxBytes: number
  /** The oldest first. */
  readonly #replies = new Map<string, Reply>()
  #bytes = 0

  /** Keeps at most `maxBytes` of replies; one of more than a quarter of that is not kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): Reply | undefined {
    return this.#replies.get(key)
  }

  /** Keeps a reply in place of the key's earlier one; the oldest make room. */
  set(key: string, reply: Reply): void {
    this.#drop(key)
    const bytes = reply.bytes + OVERHEAD_BYTES
    if (bytes > this.#maxBytes / 4) return
    for (const oldest of this.#replies.keys()) {
      if (this.#bytes + bytes <= this.#maxBytes) break
      this.#drop(oldest)
    }
    this.#replies.set(key, reply)
    this.#bytes += bytes
  }

  /** Drops what was made before a moment. */
  dropBefore(madeAt: number): void {
    for (const [key, reply] of this.#replies) {
      if (reply.madeAt >= madeAt) return
      this.#drop(key)
    }
  }

  clear(): void {
    this.#replies.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const reply = this.#replies.get(key)
    if (reply === undefined) return
    this.#replies.delete(key)
    this.#bytes -= reply.bytes + OVERHEAD_BYTES
  }
}
