/**
 * Encodes the price classes, shares and observed times of an hour as JSON, and decodes them without loss.
 */
import { Schema } from "effect"
import type { Hour } from "./Hour.ts"
import { HOUR_SECONDS } from "./Units.ts"
import { RateClassJson } from "./RateClassJson.ts"
import { Whole } from "./WholeNumber.ts"

/** The fields of an hour that are neither series nor columns. */
export type Charges = Pick<Hour, "rates" | "shares" | "storage" | "seen">

/** The observed times: alternating starts and ends in seconds of the hour, ascending. */
const Seen = Schema.Array(Schema.Natural).check(
  Schema.makeFilter(
    (seen) =>
      seen.length % 2 === 0
      && seen.every((second, place) => second <= HOUR_SECONDS && second > (seen[place - 1] ?? -1)),
    { expected: "ascending intervals within the hour" }
  )
)

const Written = Schema.fromJsonString(
  Schema.Struct({
    rates: RateClassJson,
    shares: Schema.Array(
      Schema.Struct({
        series: Schema.Natural,
        rate: Schema.Natural,
        cpuAllocatedMilliSeconds: Whole,
        memoryAllocatedKibSeconds: Whole,
        gpuMilliSeconds: Whole
      })
    ),
    storage: Schema.optionalKey(
      Schema.Array(Schema.Struct({ series: Schema.Natural, storageClass: Schema.String, kibSeconds: Whole }))
    ),
    seen: Schema.optionalKey(Seen)
  })
)

const encode = Schema.encodeSync(Written)

export const print = ({ rates, seen, shares, storage }: Charges): string =>
  encode({
    rates,
    shares,
    ...(storage === undefined ? {} : { storage }),
    ...(seen === undefined ? {} : { seen })
  })

/** Decodes the output of {@link print}. */
export const parse = Schema.decodeUnknownEffect(Written)
