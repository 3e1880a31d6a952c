/**
 * Query parameters of a cost report's range.
 */
import { DEFAULT_RANGE, type RangeQuery } from "@quarterdeck/cost/Range"
import { Schema } from "effect"
import { documents, RFC3339 } from "./DocumentedText.ts"

const range = Schema.String.check(documents({ pattern: "^[1-9][0-9]{0,3}[hdw]$" }))
const instant = Schema.String.check(documents({ pattern: `^(?:0|[1-9][0-9]{0,14}|${RFC3339})$` }))

/**
 * The time range of a cost report.
 *
 * **Shape** `range` alone, or `from` with an optional `to`. Without them the range is the last seven days. The server validates
 * the values, because only it knows how far its history goes back.
 */
export const rangeParameters = {
  range: Schema.optionalKey(range).annotateKey({
    description: `Duration that ends now: a number from 1 to 9999 and \`h\`, \`d\` or \`w\`. By default \`${DEFAULT_RANGE}\`, unless \`from\` is set.`
  }),
  from: Schema.optionalKey(instant).annotateKey({
    description: "Start of the range, in milliseconds since 1970 or RFC 3339. Must not be combined with `range`."
  }),
  to: Schema.optionalKey(instant).annotateKey({
    description: "End of the range (exclusive), in the format of `from`. By default now."
  })
} satisfies Record<keyof RangeQuery, Schema.Top>
