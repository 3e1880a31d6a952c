/**
 * Why a workload cost what it cost, hour by hour.
 *
 * Imports nothing of Node: the contract of the service is made of these schemas.
 */
import { Schema } from "effect"
import { CostRow, costFields, reportFields, Timestamp } from "./CostRow.ts"

/** Windows up to this long are explained by the hour, longer ones by the day. */
export const MAX_DAYS_BY_HOUR = 31

const Quantity = Schema.Finite
const Price = Schema.optionalKey(Schema.Finite)

/**
 * What was there.
 *
 * **Units** hours times cores, bytes or GPUs; bytes of traffic; hours. What was used and requested is of the time in which
 * usage was known, as in the row.
 */
export const Quantities = Schema.Struct({
  cpuCoreHours: Quantity,
  memoryByteHours: Quantity,
  gpuHours: Quantity,
  storageByteHours: Quantity,
  zoneEgressBytes: Quantity,
  regionEgressBytes: Quantity,
  internetEgressBytes: Quantity,
  loadBalancerHours: Quantity,
  cpuUsedCoreHours: Quantity,
  memoryUsedByteHours: Quantity,
  cpuRequestedCoreHours: Quantity,
  memoryRequestedByteHours: Quantity,
  replicaHours: Quantity,
  spotHours: Quantity,
  hoursExisted: Quantity,
  hoursCovered: Quantity
}).annotate({ identifier: "CostQuantities" })
export type Quantities = typeof Quantities.Type

/**
 * What a unit cost on average: the cost by the quantity. Absent where there was no quantity.
 *
 * **Units** the book's currency for a core, GiB or GPU and hour, for a GiB of traffic, for a load balancer and hour.
 */
export const MeanPrices = Schema.Struct({
  cpuPerCoreHour: Price,
  memoryPerGiBHour: Price,
  gpuPerHour: Price,
  storagePerGiBHour: Price,
  egressPerGiB: Price,
  loadBalancerPerHour: Price
}).annotate({ identifier: "MeanPrices" })
export type MeanPrices = typeof MeanPrices.Type

/**
 * One hour or day.
 *
 * **Shape** `source` tells what the quantities come from: `usage` where it was known all the time that the workload
 * existed, `partial` where some of it, `requests` where none. `open`: still going on. `priceChange` is there where a price of
 * the cluster changed within the hour, or an hour of the day: `exact` where the change was known by the time that the hour
 * ended, and each price counts from its instant; `share` where it was put later, for a moment in it, and counts for its
 * share of what was seen of the hour.
 */
export const ExplainedStep = Schema.Struct({
  start: Timestamp,
  end: Timestamp,
  source: Schema.Literals(["usage", "partial", "requests"]),
  open: Schema.optionalKey(Schema.Literal(true)),
  priceChange: Schema.optionalKey(Schema.Literals(["exact", "share"])),
  quantities: Quantities,
  prices: MeanPrices,
  ...costFields
}).annotate({ identifier: "ExplainedStep" })
export type ExplainedStep = typeof ExplainedStep.Type

/**
 * A row of a report and all that it is the sum of.
 *
 * **Shape** `hours` are days where `stepSize` says so; those in which the workload had nothing are left out.
 */
export const Explanation = Schema.Struct({
  row: CostRow,
  stepSize: Schema.Literals(["hour", "day"]),
  hours: Schema.Array(ExplainedStep),
  ...reportFields
}).annotate({ identifier: "CostExplanation" })
export type Explanation = typeof Explanation.Type
