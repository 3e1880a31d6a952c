/**
 * What a cluster goes through, and what may be expected of answers meanwhile.
 */

export type State = "up" | "down" | "hung"

/** The state of a cluster, and since when, in epoch milliseconds. */
export interface Life {
  readonly state: State
  readonly since: number
}

/** What an answer must say of a cluster. **Shape** `current`: its rows lag no more than usual; `absent`: it is not `ok`. */
export type Expected = "current" | "absent" | "either"

/** Longest wait before a watch is begun anew is half a minute; the rest is for reading and a busy machine. */
const SETTLED_AFTER_MS = 90_000
/** Two probes that fail, five seconds apart, of 1.5 seconds each, and the same again. */
const NOTICED_AFTER_MS = 25_000

/** A cluster takes its time to go down and to come up. */
const TAKEN_AFTER_MS = 5_000

/** Says what a cached answer must tell. **Shape** the life when it was asked for and when it was had. */
export const expectedCached = (asked: Life, had: Life, at: number): Expected => {
  if (asked !== had) return "either"
  const lasted = at - asked.since
  if (asked.state === "up") return lasted >= SETTLED_AFTER_MS ? "current" : "either"
  return lasted >= NOTICED_AFTER_MS ? "absent" : "either"
}

/** Says what a live answer must tell, which asks the cluster itself. */
export const expectedLive = (asked: Life, had: Life, at: number): Expected => {
  if (asked !== had || at - asked.since < TAKEN_AFTER_MS) return "either"
  return asked.state === "up" ? "current" : "absent"
}
