/**
 * Writes workloads with the columns of FOCUS, the FinOps Open Cost and Usage Specification.
 *
 * **Source** FOCUS 1.2, "Columns", and of "Attributes" those of date/time, numbers and units,
 * https://focus.finops.org/focus-specification/v1-2.
 */
import type { Stream } from "effect"
import type { BilledRow, ReportWindow, SeenHours } from "./CostRow.ts"
import * as Csv from "./Csv.ts"
import * as CoverageColumns from "./CoverageColumns.ts"
import { GIB_BYTES } from "../hour/Units.ts"

/** The version of the specification whose columns these are. */
export const VERSION = "1.2"

interface Part {
  readonly name: string
  readonly cost: (row: BilledRow) => number
  readonly quantity: (row: BilledRow) => number
  /** What was requested and used while usage was known, in the same unit; nothing of what nobody requests. */
  readonly requested?: (row: BilledRow) => number
  readonly used?: (row: BilledRow) => number
  readonly unit: string
  readonly category: string
  readonly subcategory: string
  /** Whether it is priced by the machine: then by a price that the provider may change, on spot machines. */
  readonly isOfMachines: boolean
}

const GIB_HOURS = "GiB-Hours"
const compute = { category: "Compute", subcategory: "Containers", isOfMachines: true }
const networking = { category: "Networking", isOfMachines: false }

/** What a row's cost consists of. Categories and units are those that FOCUS allows. */
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
    category: "Storage",
    subcategory: "Block Storage",
    isOfMachines: false
  },
  {
    name: "Network",
    cost: (row) => row.networkCost,
    quantity: (row) => row.egressBytes / GIB_BYTES,
    unit: "GiB",
    subcategory: "Network Connectivity",
    ...networking
  },
  {
    name: "Load balancer",
    cost: (row) => row.loadBalancerCost,
    quantity: (row) => row.loadBalancerHours,
    unit: "Hours",
    subcategory: "Application Networking",
    ...networking
  }
]

interface Charge {
  readonly row: BilledRow
  readonly part: Part
}

interface Billing {
  readonly clusters: ReadonlyArray<SeenHours>
  readonly currency: string
  readonly window: ReportWindow
}

/** Writes an instant. **Source** FOCUS 1.2, "Date/Time Format": whole seconds in UTC, `YYYY-MM-DDTHH:mm:ssZ`. */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, "2026-01-31T12:00:00".length)}Z`

/** The month that holds an instant, as FOCUS bills it. The window may reach over several: from the first to the last. */
const monthOf = (ms: number, later: number): string => {
  const date = new Date(ms)
  return instant(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later))
}

/** The end is exclusive: a window that ends with a month is billed in it. */
const endOfBilling = (endMs: number): string => monthOf(endMs - 1, 1)

/**
 * How a part is priced.
 *
 * **Source** FOCUS 1.2, "Pricing Category": `Dynamic` is a price that the provider may change without notice, as those of
 * interruptible machines; `Other` is what no category covers, here the sum of both.
 */
const pricingOf = ({ part, row }: Charge): string => {
  if (!part.isOfMachines || row.spotHours === 0) return "Standard"
  return row.onDemandHours === 0 ? "Dynamic" : "Other"
}

/** A charge is of the hours for which its cluster was seen, which FOCUS has no column for. */
const SEEN = { covered: "x_ClusterHoursCovered", inWindow: "x_ClusterHoursInWindow" }

/** What was requested and used, which FOCUS has no column for: nothing where no usage is known. */
const knownOf = (row: BilledRow, of: Part["requested"]): number | undefined =>
  row.cpuEfficiency === null ? undefined : of?.(row)

const NAME = "Quarterdeck"
const SERVICE = "Kubernetes"

const columnsOf = ({ clusters, currency, window }: Billing): ReadonlyArray<Csv.Column<Charge>> => {
  const cost = ({ part, row }: Charge): number => part.cost(row)
  const quantity = ({ part, row }: Charge): number => part.quantity(row)
  const unit = ({ part }: Charge): string => part.unit
  const [startMs, endMs] = [Date.parse(window.start), Date.parse(window.end)]
  const [start, end] = [instant(startMs), instant(endMs)]
  const billingStart = monthOf(startMs, 0)
  const billingEnd = endOfBilling(endMs)
  return [
    { name: "BilledCost", of: cost },
    { name: "BillingAccountId", of: () => NAME },
    { name: "BillingAccountName", of: () => NAME },
    { name: "BillingCurrency", of: () => currency },
    { name: "BillingPeriodEnd", of: () => billingEnd },
    { name: "BillingPeriodStart", of: () => billingStart },
    { name: "ChargeCategory", of: () => "Usage" },
    { name: "ChargeClass", of: () => undefined },
    { name: "ChargeDescription", of: ({ part, row }) => `${part.name} of ${row.workloadType} ${row.workloadName}` },
    { name: "ChargeFrequency", of: () => "Usage-Based" },
    { name: "ChargePeriodEnd", of: () => end },
    { name: "ChargePeriodStart", of: () => start },
    { name: "ConsumedQuantity", of: quantity },
    { name: "ConsumedUnit", of: unit },
    { name: "ContractedCost", of: cost },
    { name: "EffectiveCost", of: cost },
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
    { name: "ServiceCategory", of: ({ part }) => part.category },
    { name: "ServiceName", of: () => SERVICE },
    { name: "ServiceSubcategory", of: ({ part }) => part.subcategory },
    { name: "SubAccountId", of: ({ row }) => row.cluster },
    { name: "SubAccountName", of: ({ row }) => row.cluster },
    ...CoverageColumns.make<Charge>(SEEN, ({ row: { cluster } }) => ({ cluster, clusters })),
    { name: "x_KubernetesNamespace", of: ({ row }) => row.namespace },
    { name: "x_RequestedQuantity", of: ({ part, row }) => knownOf(row, part.requested) },
    { name: "x_UsedQuantity", of: ({ part, row }) => knownOf(row, part.used) }
  ]
}

/**
 * Writes the costs of workloads.
 *
 * **Shape** one record for each part of a row's cost that is not 0, with its quantity: a charge of usage has one. A cluster
 * is a sub-account, a workload a resource; columns of our own tell for how much of the window the cluster was seen. The four costs are one: what the price book says,
 * discounts in it. These are estimates of a share of a bill, not the bill: `BilledCost` matches no invoice.
 *
 * **Limits** one part of the stream is held.
 */
export const workloads = <E, R>({
  rows,
  ...billing
}: Billing & { readonly rows: Stream.Stream<BilledRow, E, R> }): Stream.Stream<string, E, R> =>
  Csv.of(rows, columnsOf(billing), (row) =>
    PARTS.filter(({ cost }) => cost(row) !== 0).map((part): Charge => ({ row, part }))
  )
