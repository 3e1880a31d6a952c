/**
 * Cache of callers by their request headers, valid for two seconds, so that a further query needs no new authentication.
 */
import type { Principal } from "@quarterdeck/keys/Principal"
import type { RequestRecord } from "../request/RequestRecord.ts"
import type { HotRequest } from "./HotRequest.ts"
import type { Moment, Moments } from "./Moment.ts"

/** A caller whose request was answered, and the record of that request. */
export interface RecentCaller {
  readonly user: Principal["Service"]
  readonly record: RequestRecord
}

export interface RecentCallers {
  /** Adds the caller of an authenticated request that started at a moment. */
  readonly remember: (asked: HotRequest, moment: Moment, caller: RecentCaller) => void
  /** Finds the caller of a request. Undefined if any key has changed since, or after two seconds. */
  readonly find: (asked: HotRequest) => RecentCaller | undefined
  /** Removes expired callers. */
  readonly sweep: () => void
}

const LIFE_MS = 2_000
/** Maximum number of callers. The oldest is evicted. */
const MOST = 4_096

export const make = (moments: Moments): RecentCallers => {
  /** In the order of insertion, oldest first. */
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
