/**
 * The query parameters that say which time a report of costs covers.
 */
import { DEFAULT_RANGE, type RangeQuery } from "@quarterdeck/cost/Range"
import { Schema } from "effect"
import { documents, RFC3339 } from "./DocumentedText.ts"

const range = Schema.String.check(documents({ pattern: "^[1-9][0-9]{0,3}[hdw]$" }))
const instant = Schema.String.check(documents({ pattern: `^(?:0|[1-9][0-9]{0,14}|${RFC3339})$` }))

/**
 * The parameters by which a report is asked for a range of time.
 *
 * **Shape** `range` alone, or `from` with an optional `to`; none of them is the last seven days. Their content is
 * judged by the service, which knows how far its history goes back.
 */
export const rangeParameters = {
  range: Schema.optionalKey(range).annotateKey({
    description: `A length that ends now: a number from 1 to 9999 and h, d or w. ${DEFAULT_RANGE} unless from is given.`
  }),
  from: Schema.optionalKey(instant).annotateKey({
    description: "The first instant, in milliseconds since 1970 or RFC 3339; not beside range."
  }),
  to: Schema.optionalKey(instant).annotateKey({
    description: "The instant after the last, written as from; now unless given."
  })
} satisfies Record<keyof RangeQuery, Schema.Top>
