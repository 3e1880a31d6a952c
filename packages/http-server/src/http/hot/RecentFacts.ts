/**
 * Bounded cache of facts that hold for a short time, and only while no key changes.
 */
import type { Moment, Moments } from "./Moment.ts"

export interface RecentFacts<Fact> {
  /** Adds a fact that was established by a request that started at a moment. */
  readonly remember: (key: string, moment: Moment, fact: Fact) => void
  /** Finds a fact. Undefined if any key has changed since, or the fact is too old. */
  readonly find: (key: string) => Fact | undefined
  readonly isEmpty: () => boolean
  /** Removes expired facts. */
  readonly sweep: () => void
}

/** Maximum number of facts. The oldest is evicted. */
const MOST = 4_096

/** Makes an empty cache. **Units** `lifeMs` in milliseconds. */
export const make = <Fact>(moments: Moments, lifeMs: number): RecentFacts<Fact> => {
  /** In the order of insertion, oldest first. */
  const facts = new Map<string, { readonly fact: Fact; readonly moment: Moment }>()
  return {
    remember: (key, moment, fact) => {
      facts.delete(key)
      facts.set(key, { fact, moment })
      if (facts.size <= MOST) return
      for (const oldest of facts.keys()) {
        facts.delete(oldest)
        return
      }
    },
    find: (key) => {
      const known = facts.get(key)
      return known !== undefined && moments.holdsKeys(known.moment, lifeMs) ? known.fact : undefined
    },
    isEmpty: () => facts.size === 0,
    sweep: () => {
      for (const [key, { moment }] of facts) if (!moments.holdsKeys(moment, lifeMs)) facts.delete(key)
    }
  }
}
