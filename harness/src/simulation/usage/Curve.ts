/** A level over time, defined at every instant, with an exact integral. */

/**
 * Usage of a container: cores, bytes, or bytes per second.
 *
 * **Units** times and durations in milliseconds (since 1970); levels in the measured unit.
 */
export type Curve =
  /** Always `level`. */
  | { readonly _tag: "Flat"; readonly level: number }
  /** A cosine between `low` and `high` that peaks at `peakMs` and once per period. */
  | {
      readonly _tag: "Wave"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly peakMs: number
    }
  /** `high` for the first `forMs` of every period, otherwise `low`. Periods start at `offsetMs`. */
  | {
      readonly _tag: "Spike"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly forMs: number
      readonly offsetMs: number
    }
  /** Rises from `low` to `high` in every period, then drops. Periods start at `offsetMs`. */
  | {
      readonly _tag: "Leak"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly offsetMs: number
    }

export const flat = (level: number): Curve => ({ _tag: "Flat", level })

/** Returns the level at an instant. */
export const at = (curve: Curve, instantMs: number): number => {
  switch (curve._tag) {
    case "Flat":
      return curve.level
    case "Wave":
      return mean(curve) + amplitude(curve) * Math.cos(angle(curve, instantMs))
    case "Spike":
      return phase(curve, instantMs) < curve.forMs ? curve.high : curve.low
    case "Leak":
      return curve.low + ((curve.high - curve.low) * phase(curve, instantMs)) / curve.periodMs
  }
}

/**
 * Returns the area under the curve between two instants: core-seconds for cores, byte-seconds for bytes.
 *
 * Adjacent windows add up. An empty window returns 0, a reversed one the negative.
 *
 * **Units** the level's unit times seconds.
 *
 * **Limits** closed form, O(1) for windows of any length. Whole periods are counted in integers, so the relative error
 * stays near 1e-12 for large instants.
 */
export const integral = (curve: Curve, fromMs: number, toMs: number): number => {
  const lengthMs = toMs - fromMs
  switch (curve._tag) {
    case "Flat":
      return (curve.level * lengthMs) / SECOND_MS
    case "Wave": {
      const radiansPerMs = (2 * Math.PI) / curve.periodMs
      const swing = Math.sin(angle(curve, toMs)) - Math.sin(angle(curve, fromMs))
      return (mean(curve) * lengthMs + (amplitude(curve) * swing) / radiansPerMs) / SECOND_MS
    }
    case "Spike": {
      const highMs = periods(curve, fromMs, toMs) * curve.forMs + spiked(curve, toMs) - spiked(curve, fromMs)
      return (curve.low * lengthMs + (curve.high - curve.low) * highMs) / SECOND_MS
    }
    case "Leak": {
      const grownMs = (periods(curve, fromMs, toMs) * curve.periodMs) / 2 + leaked(curve, toMs) - leaked(curve, fromMs)
      return (curve.low * lengthMs + (curve.high - curve.low) * grownMs) / SECOND_MS
    }
  }
}

/** Returns the mean level of a window, or the level itself for an empty window. */
export const average = (curve: Curve, fromMs: number, toMs: number): number =>
  toMs === fromMs ? at(curve, toMs) : (integral(curve, fromMs, toMs) * SECOND_MS) / (toMs - fromMs)

/** Returns the maximum level. */
export const highest = (curve: Curve): number => (curve._tag === "Flat" ? curve.level : Math.max(curve.low, curve.high))

/** Returns the curve with every level multiplied by `factor`. */
export const scale = (curve: Curve, factor: number): Curve =>
  curve._tag === "Flat" ? flat(curve.level * factor) : { ...curve, low: curve.low * factor, high: curve.high * factor }

const SECOND_MS = 1_000

interface Range {
  readonly low: number
  readonly high: number
}
interface Cycle {
  readonly periodMs: number
  readonly offsetMs: number
}

const mean = ({ high, low }: Range): number => (low + high) / 2
const amplitude = ({ high, low }: Range): number => (high - low) / 2

/** Returns the angle of an instant. Computed within one period, because the sine of a large number is inaccurate. */
const angle = (
  { peakMs, periodMs }: { readonly peakMs: number; readonly periodMs: number },
  instantMs: number
): number => (2 * Math.PI * phase({ offsetMs: peakMs, periodMs }, instantMs)) / periodMs

const index = ({ offsetMs, periodMs }: Cycle, instantMs: number): number =>
  Math.floor((instantMs - offsetMs) / periodMs)

const phase = (cycle: Cycle, instantMs: number): number =>
  instantMs - cycle.offsetMs - index(cycle, instantMs) * cycle.periodMs

const periods = (cycle: Cycle, fromMs: number, toMs: number): number => index(cycle, toMs) - index(cycle, fromMs)

const spiked = (curve: Cycle & { readonly forMs: number }, instantMs: number): number =>
  Math.min(curve.forMs, phase(curve, instantMs))

const leaked = (cycle: Cycle, instantMs: number): number => phase(cycle, instantMs) ** 2 / (2 * cycle.periodMs)
