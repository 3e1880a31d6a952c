/** The active faults of requests and replies. Selects those that affect a request. */
import { Deferred, Effect } from "effect"
import type { Authentication } from "@quarterdeck/embedded-cluster"
import { type ApiCall, isWatch } from "./ApiCall.ts"
import type { ApiFault } from "./Fault.ts"
import { makeSelection, matches } from "./Matcher.ts"
import * as FaultReply from "./FaultReply.ts"

/** An injected fault. */
export interface Injection<F extends ApiFault = ApiFault> {
  readonly fault: F
  readonly select: () => boolean
  readonly isActive: () => boolean
  /** Waits until the fault has healed. */
  readonly healed: Effect.Effect<void>
}

export interface ActiveFaults {
  readonly begin: (fault: ApiFault) => { readonly injection: Injection; readonly end: () => void }
  /** Returns the reply of the oldest active fault that refuses the request, or undefined if none does. */
  readonly refuse: (call: ApiCall) => FaultReply.FaultReply | undefined
  /** Returns the active faults that alter the reply to the request. */
  readonly alter: (call: ApiCall) => ReadonlyArray<Injection>
}

/**
 * Creates the set of active faults, empty at first.
 *
 * The oldest fault that refuses a request answers it. Later faults do not count the request. If none refuses it, every
 * fault that alters replies and selects the request takes effect, except on a request to upgrade.
 */
export const make = (
  authenticate: Authentication.Authenticate,
  countMet: (tag: ApiFault["_tag"]) => void
): ActiveFaults => {
  const injections = new Set<Injection>()

  const refuse = (call: ApiCall): FaultReply.FaultReply | undefined => {
    for (const { fault, select } of injections) {
      if (!matches(fault.match ?? {}, call)) continue
      const refusal = FaultReply.from(fault, call, authenticate)
      if (refusal === undefined || !select()) continue
      countMet(fault._tag)
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
      for (const { fault } of altered) countMet(fault._tag)
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
