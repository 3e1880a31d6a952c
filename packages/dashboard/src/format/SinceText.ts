const minute = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/**
 * Prints a past moment to the minute, by the user's locale and zone. **Shape** with its date unless it is of the same day as
 * `nowMs`.
 */
export const sinceTextOf = (atMs: number, nowMs: number): string =>
  (new Date(atMs).toDateString() === new Date(nowMs).toDateString() ? minute : full).format(atMs)
