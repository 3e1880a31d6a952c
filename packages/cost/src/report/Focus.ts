/**
 * Writes workload costs with the columns of FOCUS, the FinOps Open Cost and Usage Specification.
 *
 * **Source** FOCUS 1.2, "Columns", and "Attributes" for date/time, numbers and units,
 * https://focus.finops.org/focus-specification/v1-2.
 */
import type { Stream } from "effect"
import type { BilledRow } from "./CostRow.ts"
import * as BillingMonth from "./BillingMonth.ts"
import * as Csv from "./Csv.ts"
import * as CoverageColumns from "./CoverageColumns.ts"
import { GIB_BYTES } from "../hour/Units.ts"

/** Version of the specification that defines the columns. */
export const VERSION = "1.2"

interface Part {
  readonly name: string
  readonly cost: (row: BilledRow) => number
  readonly quantity: (row: BilledRow) => number
  /** Requested and used quantity over the time in which usage was known. Absent for resources without requests. */
  readonly requested?: (row: BilledRow) => number
  readonly used?: (row: BilledRow) => number
  readonly unit: string
  readonly service: Service
  /** True if nodes determine the price. The provider may change the price of spot nodes at any time. */
  readonly isOfMachines: boolean
}

/**
 * The service that a part of the cost is charged for.
 *
 * **Source** FOCUS 1.2, "Service Name", "Service Category" and "Service Subcategory": a name has one category and one
 * subcategory, and a subcategory belongs to one category.
 */
interface Service {
  readonly name: string
  readonly category: string
  readonly subcategory: string
}

const CONTAINERS: Service = { name: "Kubernetes Containers", category: "Compute", subcategory: "Containers" }
const VOLUMES: Service = { name: "Kubernetes Volumes", category: "Storage", subcategory: "Block Storage" }
const TRAFFIC: Service = {
  name: "Kubernetes Network Traffic",
  category: "Networking",
  subcategory: "Network Connectivity"
}
const LOAD_BALANCERS: Service = {
  name: "Kubernetes Load Balancers",
  category: "Networking",
  subcategory: "Application Networking"
}

const GIB_HOURS = "GiB-Hours"
const compute = { service: CONTAINERS, isOfMachines: true }

/** The parts of a row's cost, in units that FOCUS allows. */
const PARTS: ReadonlyArray<Part> = [
  {
    name: "CPU",
    cost: (row) => row.cpuCost,
    quantity: (row) => row.cpuCoreHours,
    requested: (row) => row.cpuRequestedCoreHours,
    used: (row) => row.cpuUsedCoreHours,
    unit: "Core-Hours",
    ...compute
  },
  {
    name: "Memory",
    cost: (row) => row.memoryCost,
    quantity: (row) => row.memoryByteHours / GIB_BYTES,
    requested: (row) => row.memoryRequestedByteHours / GIB_BYTES,
    used: (row) => row.memoryUsedByteHours / GIB_BYTES,
    unit: GIB_HOURS,
    ...compute
  },
  { name: "GPU", cost: (row) => row.gpuCost, quantity: (row) => row.gpuHours, unit: "GPU-Hours", ...compute },
  {
    name: "Storage",
    cost: (row) => row.storageCost,
    quantity: (row) => row.storageByteHours / GIB_BYTES,
    unit: GIB_HOURS,
    service: VOLUMES,
    isOfMachines: false
  },
  {
    name: "Network",
    cost: (row) => row.networkCost,
    quantity: (row) => row.egressBytes / GIB_BYTES,
    unit: "GiB",
    service: TRAFFIC,
    isOfMachines: false
  },
  {
    name: "Load balancer",
    cost: (row) => row.loadBalancerCost,
    quantity: (row) => row.loadBalancerHours,
    unit: "Hours",
    service: LOAD_BALANCERS,
    isOfMachines: false
  }
]

interface Charge extends BillingMonth.MonthlyRow {
  readonly part: Part
}

/** Formats an instant. **Source** FOCUS 1.2, "Date/Time Format": whole seconds in UTC, `YYYY-MM-DDTHH:mm:ssZ`. */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, "2026-01-31T12:00:00".length)}Z`

/** The charge period and the billing period of a charge. */
interface Period {
  readonly start: string
  readonly end: string
  readonly billingStart: string
  readonly billingEnd: string
}

/** Creates a function that returns a charge's periods. **Limits** formats them once per run of rows of the same month. */
const makePeriods = (): ((charge: Charge) => Period) => {
  let last: { readonly month: BillingMonth.BillingMonth; readonly period: Period } | undefined
  return ({ month }) => {
    if (last?.month !== month) {
      const startMs = Date.parse(month.window.start)
      const period = {
        start: instant(startMs),
        end: instant(Date.parse(month.window.end)),
        billingStart: instant(BillingMonth.startOf(startMs)),
        billingEnd: instant(BillingMonth.endOf(startMs))
      }
      last = { month, period }
    }
    return last.period
  }
}

/**
 * Returns the pricing category of a charge.
 *
 * **Source** FOCUS 1.2, "Pricing Category": `Dynamic` prices may change without notice, as those of spot nodes do. `Other` is
 * anything else, here a sum of spot and on-demand.
 */
const pricingOf = ({ part, row }: Charge): string => {
  if (!part.isOfMachines || row.spotHours === 0) return "Standard"
  return row.onDemandHours === 0 ? "Dynamic" : "Other"
}

/** FOCUS has no columns for the hours in which the cluster was observed. */
const SEEN = { covered: "x_ClusterHoursCovered", inWindow: "x_ClusterHoursInWindow" }

/** Returns a requested or used quantity. `undefined` if usage was never known. */
const knownOf = (row: BilledRow, of: Part["requested"]): number | undefined =>
  row.cpuEfficiency === null ? undefined : of?.(row)

const NAME = "Quarterdeck"

const columnsOf = (currency: string): ReadonlyArray<Csv.Column<Charge>> => {
  const cost = ({ part, row }: Charge): number => part.cost(row)
  const quantity = ({ part, row }: Charge): number => part.quantity(row)
  const unit = ({ part }: Charge): string => part.unit
  const periodOf = makePeriods()
  return [
    { name: "BilledCost", of: cost },
    { name: "BillingAccountId", of: () => NAME },
    { name: "BillingAccountName", of: () => NAME },
    { name: "BillingCurrency", of: () => currency },
    { name: "BillingPeriodEnd", of: (charge) => periodOf(charge).billingEnd },
    { name: "BillingPeriodStart", of: (charge) => periodOf(charge).billingStart },
    { name: "ChargeCategory", of: () => "Usage" },
    { name: "ChargeClass", of: () => undefined },
    { name: "ChargeDescription", of: ({ part, row }) => `${part.name} of ${row.workloadType} ${row.workloadName}` },
    { name: "ChargeFrequency", of: () => "Usage-Based" },
    { name: "ChargePeriodEnd", of: (charge) => periodOf(charge).end },
    { name: "ChargePeriodStart", of: (charge) => periodOf(charge).start },
    { name: "ConsumedQuantity", of: quantity },
    { name: "ConsumedUnit", of: unit },
    { name: "ContractedCost", of: cost },
    { name: "EffectiveCost", of: cost },
    // The costs are estimates, so there is no invoice.
    { name: "InvoiceId", of: () => undefined },
    { name: "InvoiceIssuerName", of: () => NAME },
    { name: "ListCost", of: cost },
    { name: "PricingCategory", of: pricingOf },
    { name: "PricingQuantity", of: quantity },
    { name: "PricingUnit", of: unit },
    { name: "ProviderName", of: () => NAME },
    { name: "PublisherName", of: () => NAME },
    { name: "ResourceId", of: ({ row }) => row.id },
    { name: "ResourceName", of: ({ row }) => row.workloadName },
    { name: "ResourceType", of: ({ row }) => row.workloadType },
    { name: "ServiceCategory", of: ({ part }) => part.service.category },
    { name: "ServiceName", of: ({ part }) => part.service.name },
    { name: "ServiceSubcategory", of: ({ part }) => part.service.subcategory },
    { name: "SubAccountId", of: ({ row }) => row.cluster },
    { name: "SubAccountName", of: ({ row }) => row.cluster },
    ...CoverageColumns.make<Charge>(SEEN, ({ month: { clusters }, row: { cluster } }) => ({ cluster, clusters })),
    { name: "x_KubernetesNamespace", of: ({ row }) => row.namespace },
    { name: "x_RequestedQuantity", of: ({ part, row }) => knownOf(row, part.requested) },
    { name: "x_UsedQuantity", of: ({ part, row }) => knownOf(row, part.used) }
  ]
}

/**
 * Writes workload costs as FOCUS records.
 *
 * **Shape** one record per month and non-zero part of a row's cost, with its quantity. A cluster is a sub-account, a workload a
 * resource. The four cost columns are equal: the price book's figure, discounts included. They are estimates, so `BilledCost`
 * matches no invoice.
 *
 * **Limits** holds one chunk of the stream.
 */
export const workloads = <E, R>({
  currency,
  rows
}: {
  readonly currency: string
  readonly rows: Stream.Stream<BillingMonth.MonthlyRow, E, R>
}): Stream.Stream<string, E, R> =>
  Csv.of(rows, columnsOf(currency), ({ month, row }) =>
    PARTS.filter(({ cost }) => cost(row) !== 0).map((part): Charge => ({ month, part, row }))
  )
