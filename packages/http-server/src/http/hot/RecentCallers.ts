/**
 * Remembers for two seconds who was let in with which headers, so that another question of theirs need not be judged anew.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import type { RequestRecord } from "../request/RequestRecord.ts"
import type { HotRequest } from "./HotRequest.ts"
import type { Moment, Moments } from "./Moment.ts"

/** A caller whose request of a path was answered, and what audit and log told of it. */
export interface RecentCaller {
  readonly user: Principal["Service"]
  readonly record: RequestRecord
}

export interface RecentCallers {
  /** Remembers who sent a request that began at a moment and was let in. */
  readonly remember: (asked: HotRequest, moment: Moment, caller: RecentCaller) => void
  /** Finds who sends a request: undefined once keys changed, or two seconds have passed. */
  readonly find: (asked: HotRequest) => RecentCaller | undefined
  /** Forgets callers whose time is over. */
  readonly sweep: () => void
}

const LIFE_MS = 2_000
/** The oldest is forgotten for the next one. */
const MOST = 4_096

export const make = (moments: Moments): RecentCallers => {
  /** The oldest first. */
  const callers = new Map<string, { readonly caller: RecentCaller; readonly moment: Moment }>()
  return {
    remember: ({ callerKey }, moment, caller) => {
      callers.delete(callerKey)
      callers.set(callerKey, { caller, moment })
      if (callers.size <= MOST) return
      for (const oldest of callers.keys()) {
        callers.delete(oldest)
        return
      }
    },
    find: ({ callerKey }) => {
      const known = callers.get(callerKey)
      return known !== undefined && moments.holdsKeys(known.moment, LIFE_MS) ? known.caller : undefined
    },
    sweep: () => {
      for (const [key, { moment }] of callers) if (!moments.holdsKeys(moment, LIFE_MS)) callers.delete(key)
    }
  }
}
