/**
 * The query parameters that say which time a report of costs covers.
 *
 * @since 0.1.0
 */
import { RangeQuery } from "@quarterdeck/cost/Range"
import { Schema } from "effect"

const { from, range, to } = RangeQuery.fields

/**
 * **Shape** `range` alone, or `from` with an optional `to`; none of them is the last seven days. Their content is judged
 * by the service, which knows how far its history goes back.
 */
export const rangeParameters = {
  range: range.annotateKey({
    description: "A length that ends now: a number from 1 to 9999 and h, d or w. 7d unless from is given."
  }),
  from: from.annotateKey({ description: "The first instant, in milliseconds since 1970 or RFC 3339." }),
  to: to.annotateKey({ description: "The instant after the last; now unless given." })
} satisfies Record<string, Schema.Top>
