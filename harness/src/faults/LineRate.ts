/** The arithmetic of a line that passes so many bytes a second. */

/** A line's state. `freeAtMs` is when it has passed all that it was given. */
export interface Line {
  readonly freeAtMs: number
}

/** A line that has not been used. */
export const idle: Line = { freeAtMs: Number.NEGATIVE_INFINITY }

/** A timer may be this late and the line still makes up for it, so that it keeps its rate. */
export const SLACK_MS = 20
/** Pieces a second, where nobody says how large they are. */
const PIECES_PER_SECOND = 20
const MAX_PIECE_BYTES = 64 * 1024

/**
 * Gives a line more bytes: it is free, and they have passed, when they have taken their time after all before them.
 *
 * **Limits** in any stretch of time t it passes at most `bytesPerSecond` * (t + {@link SLACK_MS}) bytes; a line that was
 * unused for longer than that begins anew.
 */
export const pass = ({ freeAtMs }: Line, nowMs: number, bytes: number, bytesPerSecond: number): Line => {
  const startMs = nowMs - freeAtMs > SLACK_MS ? nowMs : freeAtMs
  return { freeAtMs: startMs + (bytes * 1_000) / bytesPerSecond }
}

/** How many bytes go at once, so that they come evenly and not in one lump a second. */
export const pieceBytes = (bytesPerSecond: number): number =>
  Math.min(MAX_PIECE_BYTES, Math.max(1, Math.ceil(bytesPerSecond / PIECES_PER_SECOND)))
