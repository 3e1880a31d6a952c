/** Arithmetic of a simulated network line that passes a fixed number of bytes per second. */

/** State of a simulated network line. `freeAtMs` is the time at which all reserved bytes have passed. */
export interface Line {
  readonly freeAtMs: number
}

/** A line that is free. */
export const idle: Line = { freeAtMs: Number.NEGATIVE_INFINITY }

/** Maximum delay of a late timer that a line makes up for. Otherwise late timers would lower its rate. */
export const SLACK_MS = 20
/** Pieces per second, if the piece size is not given. */
const PIECES_PER_SECOND = 20
const MAX_PIECE_BYTES = 64 * 1024

/**
 * Reserves time on a line for more bytes, after all bytes before them. Returns the line's new state.
 *
 * **Limits** in any interval of t milliseconds a line passes at most the bytes of t + {@link SLACK_MS} milliseconds. A
 * line that was idle for longer starts afresh.
 */
export const pass = ({ freeAtMs }: Line, nowMs: number, bytes: number, bytesPerSecond: number): Line => {
  const startMs = nowMs - freeAtMs > SLACK_MS ? nowMs : freeAtMs
  return { freeAtMs: startMs + (bytes * 1_000) / bytesPerSecond }
}

/** Returns the number of bytes to send at once, so that they arrive evenly. */
export const pieceBytes = (bytesPerSecond: number): number =>
  Math.min(MAX_PIECE_BYTES, Math.max(1, Math.ceil(bytesPerSecond / PIECES_PER_SECOND)))
