/**
 * How many streams there may be, and how far behind a reader may be.
 */
import { Context } from "effect"

/**
 * How many streams there may be of a key and in all, and how far behind a reader may be.
 *
 * Logs that are followed are counted apart, and end after `logMs`. `stalledMs` is how long a reader may take nothing
 * while something waits for it; `judgeMs` how often its key is checked again; `endMs` how long it may take to receive
 * why its stream ends.
 *
 * **Units** streams, bytes, milliseconds.
 */
export const StreamLimits = Context.Reference("@quarterdeck/http-server/http/stream/StreamLimits", {
  defaultValue: () => ({
    ofKey: 5,
    inAll: 1_000,
    logsOfKey: 20,
    logsInAll: 200,
    logMs: 60 * 60_000,
    behindBytes: 2 ** 20,
    heartbeatMs: 15_000,
    stalledMs: 60_000,
    judgeMs: 1_000,
    endMs: 2_000
  })
})
