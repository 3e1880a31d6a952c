/**
 * Writes by what an hour was charged as JSON, and reads it again without loss.
 */
import { Schema } from "effect"
import type { Hour } from "./Hour.ts"
import { HOUR_SECONDS } from "./Units.ts"
import { RateClassJson } from "./RateClassJson.ts"
import { Whole } from "./WholeNumber.ts"

/** What of an hour is neither a series nor a column. */
export type Charges = Pick<Hour, "rates" | "shares" | "storage" | "seen">

/** Beginnings and ends in turn, that rise within the hour. */
const Seen = Schema.Array(Schema.Natural).check(
  Schema.makeFilter(
    (seen) =>
      seen.length % 2 === 0
      && seen.every((second, place) => second <= HOUR_SECONDS && second > (seen[place - 1] ?? -1)),
    { expected: "stretches of the hour that rise" }
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

/** Writes charges. */
export const print = ({ rates, seen, shares, storage }: Charges): string =>
  encode({
    rates,
    shares,
    ...(storage === undefined ? {} : { storage }),
    ...(seen === undefined ? {} : { seen })
  })

/** Reads what {@link print} gave. */
export const parse = Schema.decodeUnknownEffect(Written)
