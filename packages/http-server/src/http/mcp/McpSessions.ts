/**
 * Whose MCP sessions there are: each belongs to the key that began it, and there is a bounded number of them.
 */

/** How many sessions are kept of one key and in all, and how long without a request. **Units** milliseconds. */
export const LIMITS = { ofKey: 32, inAll: 2_048, idleMs: 3_600_000 }

interface Session {
  readonly keyId: string
  usedAt: number
}

export class McpSessions {
  readonly #limits: typeof LIMITS
  /** The longest unused first. */
  readonly #sessions = new Map<string, Session>()

  constructor(limits: typeof LIMITS = LIMITS) {
    this.#limits = limits
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Notes that a key uses a session, and tells whether it may: whether it is its own, and goes on. */
  use(id: string, keyId: string, nowMs: number): boolean {
    const session = this.#sessions.get(id)
    if (session?.keyId !== keyId || this.#isOver(session, nowMs)) return false
    session.usedAt = nowMs
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return true
  }

  /**
   * Notes a session that a key began, and gives those that end for it: the unused, and the oldest over the limits.
   *
   * **Limits** looks at every session.
   */
  begin(id: string, keyId: string, nowMs: number): ReadonlyArray<string> {
    this.#sessions.set(id, { keyId, usedAt: nowMs })
    const ofKey = [...this.#sessions].filter(([, session]) => session.keyId === keyId).map(([name]) => name)
    const ended = new Set(ofKey.slice(0, Math.max(0, ofKey.length - this.#limits.ofKey)))
    for (const [name, session] of this.#sessions) {
      const isTooMany = this.#sessions.size - ended.size > this.#limits.inAll
      if (isTooMany || this.#isOver(session, nowMs)) ended.add(name)
    }
    for (const name of ended) this.#sessions.delete(name)
    return [...ended]
  }

  /** Forgets a session that has ended. */
  end(id: string): void {
    this.#sessions.delete(id)
  }

  #isOver({ usedAt }: Session, nowMs: number): boolean {
    return nowMs - usedAt >= this.#limits.idleMs
  }
}
