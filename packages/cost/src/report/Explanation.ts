/**
 * The explanation of one workload's cost, hour by hour.
 *
 * Imports nothing of Node, because the service's contract uses these schemas.
 */
import { Schema } from "effect"
import { CostRow, costFields, reportFields, Timestamp } from "./CostRow.ts"

/** Windows up to this long are explained by hour, longer ones by day. */
export const MAX_DAYS_BY_HOUR = 31

const Quantity = Schema.Finite
const Price = Schema.optionalKey(Schema.Finite)

/**
 * The measured quantities of one step.
 *
 * **Units** core-hours, byte-hours, GPU-hours, bytes of egress, hours. Used and requested quantities cover the time in which
 * usage was known.
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
 * Mean price per unit, which is cost divided by quantity. Absent if the quantity is 0.
 *
 * **Units** the price book's currency per core-hour, GiB-hour, GPU-hour, GiB of egress, and load balancer hour.
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
 * **Shape** `source` is `usage` if usage was known for all of the workload's time, `partial` for some of it, `requests` for
 * none of it. `open` marks the hour that has not ended. `priceChange` is present if a price changed within an
 * hour of the step. `exact`: the change was saved before the hour ended, and each price applies from the instant of its change.
 * `share`: the change was saved later, and each price applies to its share of the observed time.
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

/** A row of a report, and its costs by hour or by day as `stepSize` states. Steps without the workload are left out. */
export const Explanation = Schema.Struct({
  row: CostRow,
  stepSize: Schema.Literals(["hour", "day"]),
  hours: Schema.Array(ExplainedStep),
  ...reportFields
}).annotate({ identifier: "CostExplanation" })
export type Explanation = typeof Explanation.Type
