/** The faults of requests and replies that are active, and which of them a request meets. */
import { Deferred, Effect } from "effect"
import type { Authentication } from "@quarterdeck/embedded-cluster"
import { type ApiCall, isWatch } from "./ApiCall.ts"
import type { ApiFault } from "./Fault.ts"
import { makeSelection, matches } from "./Matcher.ts"
import * as FaultReply from "./FaultReply.ts"

/** One injected fault. */
export interface Injection<F extends ApiFault = ApiFault> {
  readonly fault: F
  readonly select: () => boolean
  readonly isActive: () => boolean
  /** Waits until it has healed. */
  readonly healed: Effect.Effect<void>
}

export interface ActiveFaults {
  readonly begin: (fault: ApiFault) => { readonly injection: Injection; readonly end: () => void }
  /** The answer of the oldest refusal that selects the request; none lets it through. */
  readonly refuse: (call: ApiCall) => FaultReply.FaultReply | undefined
  /** What happens to the reply of a request that was let through. */
  readonly alter: (call: ApiCall) => ReadonlyArray<Injection>
}

/**
 * Begins with none.
 *
 * The oldest injected refusal that selects a request answers it; those after it do not count it. Otherwise every
 * fault that alters replies and selects it has its effect, save on a request to upgrade.
 */
export const make = (authenticate: Authentication.Authenticate, met: (tag: ApiFault["_tag"]) => void): ActiveFaults => {
  const injections = new Set<Injection>()

  const refuse = (call: ApiCall): FaultReply.FaultReply | undefined => {
    for (const { fault, select } of injections) {
      if (!matches(fault.match ?? {}, call)) continue
      const refusal = FaultReply.from(fault, call, authenticate)
      if (refusal === undefined || !select()) continue
      met(fault._tag)
      return refusal
    }
    return undefined
  }
  return {
    begin: (fault) => {
      const healed = Deferred.makeUnsafe<void>()
      const injection: Injection = {
        fault,
        healed: Deferred.await(healed),
        select: makeSelection(fault.match ?? {}),
        isActive: () => injections.has(injection)
      }
      injections.add(injection)
      return {
        injection,
        end: () => {
          injections.delete(injection)
          Deferred.doneUnsafe(healed, Effect.void)
        }
      }
    },
    refuse,
    alter: (call) => {
      const altered = [...injections].filter(
        ({ fault, select }) => alters(fault, call) && matches(fault.match ?? {}, call) && select()
      )
      for (const { fault } of altered) met(fault._tag)
      return altered
    }
  }
}

const alters = (fault: ApiFault, call: ApiCall): boolean => {
  switch (fault._tag) {
    case "LostBookmarks":
      return isWatch(call)
    case "TruncatedReply":
    case "MalformedJson":
    case "SlowReply":
      return true
    case "Unauthorized":
    case "Forbidden":
    case "TooManyRequests":
    case "ServerError":
    case "FixedReply":
    case "ResetReply":
    case "ExpiredWatch":
    case "WatchCutEvery":
      return false
  }
}
