/** A level over time, known at every instant of past and future, with its exact integral. */

/**
 * What a container uses: cores, bytes, or bytes a second.
 *
 * **Units** instants and lengths in milliseconds (since 1970); levels in whatever is measured.
 */
export type Curve =
  /** Always `level`. */
  | { readonly _tag: "Flat"; readonly level: number }
  /** A cosine between `low` and `high`, at `high` at `peakMs` and each period after and before. */
  | {
      readonly _tag: "Wave"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly peakMs: number
    }
  /** `high` for the first `forMs` of every period that begins at `offsetMs`, else `low`. */
  | {
      readonly _tag: "Spike"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly forMs: number
      readonly offsetMs: number
    }
  /** Grows from `low` to `high` in every period that begins at `offsetMs`, then falls back at once. */
  | {
      readonly _tag: "Leak"
      readonly low: number
      readonly high: number
      readonly periodMs: number
      readonly offsetMs: number
    }

export const flat = (level: number): Curve => ({ _tag: "Flat", level })

/** The level at an instant. */
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
 * The area under the curve from one instant to another: core-seconds of cores, byte-seconds of bytes.
 *
 * `[a, b)` and `[b, c)` add up to `[a, c)`; an empty or turned window gives 0 or the negative.
 *
 * **Units** the level's unit times seconds.
 *
 * **Limits** closed form, O(1) for windows of any length. Whole periods are counted in whole numbers, so that nothing
 * is lost between the large instants: the relative error is near 1e-12.
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

/** The mean level of a window; the level itself where the window is empty. */
export const average = (curve: Curve, fromMs: number, toMs: number): number =>
  toMs === fromMs ? at(curve, toMs) : (integral(curve, fromMs, toMs) * SECOND_MS) / (toMs - fromMs)

/** The highest level that it ever has. */
export const highest = (curve: Curve): number => (curve._tag === "Flat" ? curve.level : Math.max(curve.low, curve.high))

/** The same curve with every level times `factor`. */
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

/** The angle is taken within one period: the sine of a large number is a poor one. */
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
