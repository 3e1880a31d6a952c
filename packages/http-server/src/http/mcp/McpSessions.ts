/**
 * Bounded table of MCP sessions. Each session belongs to the key that started it.
 */

/** Maximum number of sessions per key and in total, and the idle timeout. **Units** sessions, milliseconds. */
export const LIMITS = { ofKey: 32, inAll: 2_048, idleMs: 3_600_000 }

interface Session {
  readonly keyId: string
  usedAt: number
}

export class McpSessions {
  readonly #limits: typeof LIMITS
  /** In the order of last use, oldest first. */
  readonly #sessions = new Map<string, Session>()

  constructor(limits: typeof LIMITS = LIMITS) {
    this.#limits = limits
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Records a use of a session. Returns false if the session does not belong to the key or has timed out. */
  use(id: string, keyId: string, nowMs: number): boolean {
    const session = this.#sessions.get(id)
    if (session?.keyId !== keyId || this.#isOver(session, nowMs)) return false
    session.usedAt = nowMs
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return true
  }

  /**
   * Adds a session of a key. Returns the sessions that are removed: the idle ones, and the oldest above the limits.
   *
   * **Limits** linear in the number of sessions.
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

  /** Removes an ended session. */
  end(id: string): void {
    this.#sessions.delete(id)
  }

  #isOver({ usedAt }: Session, nowMs: number): boolean {
    return nowMs - usedAt >= this.#limits.idleMs
  }
}
