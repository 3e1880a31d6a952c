/**
 * The states of a cluster, and the answers to expect in each.
 */

export type State = "up" | "down" | "hung"

/** The state of a cluster and its start. **Units** epoch milliseconds. */
export interface Life {
  readonly state: State
  readonly since: number
}

/** Expected coverage of a cluster. **Shape** `current`: its rows lag no more than usual. `absent`: its status is not `ok`. */
export type Expected = "current" | "absent" | "either"

/** Time until a cluster is current again: the backoff of a watch is at most 30 s, the rest is for listing on a busy machine. */
const SETTLED_AFTER_MS = 90_000
/** Time until an outage shows: twice the time of two failed probes of 1.5 s each, 5 s apart. */
const NOTICED_AFTER_MS = 25_000

/** Time that a cluster takes to stop or to start. */
const TAKEN_AFTER_MS = 5_000

/** Returns the expected coverage in a cached answer. **Shape** `asked` and `had` are the states at request and answer. */
export const expectedCached = (asked: Life, had: Life, at: number): Expected => {
  if (asked !== had) return "either"
  const lasted = at - asked.since
  if (asked.state === "up") return lasted >= SETTLED_AFTER_MS ? "current" : "either"
  return lasted >= NOTICED_AFTER_MS ? "absent" : "either"
}

/** Returns the expected coverage in a live answer. */
export const expectedLive = (asked: Life, had: Life, at: number): Expected => {
  if (asked !== had || at - asked.since < TAKEN_AFTER_MS) return "either"
  return asked.state === "up" ? "current" : "absent"
}
