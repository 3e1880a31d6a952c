/**
 * Writes workloads with the columns of FOCUS, the FinOps Open Cost and Usage Specification.
 *
 * **Source** FOCUS 1.2, "Columns" and "Attributes: Unit Format", https://focus.finops.org/focus-specification/v1-2.
 *
 * @since 0.1.0
 */
import type { Stream } from "effect"
import type { CostRow, ReportWindow } from "./CostRow.ts"
import * as Csv from "./report/Csv.ts"
import { GIB_BYTES } from "./Units.ts"

/** The version of the specification whose columns these are. */
export const VERSION = "1.2"

interface Part {
  readonly name: string
  readonly cost: (row: CostRow) => number
  readonly quantity: (row: CostRow) => number | undefined
  readonly unit: string | undefined
  readonly category: string
  readonly subcategory: string
}

const unknown = (): undefined => undefined

/** What a row's cost consists of. **Shape** categories are those that FOCUS allows. */
const PARTS: ReadonlyArray<Part> = [
  {
    ...{ name: "CPU", cost: (row) => row.cpuCost, quantity: (row) => row.cpuCoreHours, unit: "Core-Hours" },
    ...{ category: "Compute", subcategory: "Containers" }
  },
  {
    ...{ name: "Memory", cost: (row) => row.memoryCost, quantity: (row) => row.memoryByteHours / GIB_BYTES },
    ...{ unit: "GiB-Hours", category: "Compute", subcategory: "Containers" }
  },
  {
    ...{ name: "GPU", cost: (row) => row.gpuCost, quantity: unknown, unit: undefined },
    ...{ category: "Compute", subcategory: "Containers" }
  },
  {
    ...{ name: "Storage", cost: (row) => row.storageCost, quantity: unknown, unit: undefined },
    ...{ category: "Storage", subcategory: "Block Storage" }
  },
  {
    ...{ name: "Network", cost: (row) => row.networkCost, quantity: unknown, unit: undefined },
    ...{ category: "Networking", subcategory: "Network Connectivity" }
  },
  {
    ...{ name: "Load balancer", cost: (row) => row.loadBalancerCost, quantity: unknown, unit: undefined },
    ...{ category: "Networking", subcategory: "Application Networking" }
  }
]

interface Charge {
  readonly row: CostRow
  readonly part: Part
}

interface Billing {
  readonly currency: string
  readonly window: ReportWindow
}

/** The month that holds an instant, as FOCUS bills it. **Shape** the window may reach over several: from the first to the last. */
const monthOf = (text: string, later: number): string => {
  const date = new Date(text)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)).toISOString()
}

/** The end is exclusive: a window that ends with a month is billed in it. */
const endOfBilling = (end: string): string => monthOf(new Date(Date.parse(end) - 1).toISOString(), 1)

const NAME = "Quarterdeck"
const SERVICE = "Kubernetes"

const columnsOf = ({ currency, window }: Billing): ReadonlyArray<Csv.Column<Charge>> => {
  const cost = ({ part, row }: Charge): number => part.cost(row)
  const quantity = ({ part, row }: Charge): number | undefined => part.quantity(row)
  const unit = ({ part }: Charge): string | undefined => part.unit
  const billingStart = monthOf(window.start, 0)
  const billingEnd = endOfBilling(window.end)
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
    { name: "ChargePeriodEnd", of: () => window.end },
    { name: "ChargePeriodStart", of: () => window.start },
    { name: "ConsumedQuantity", of: quantity },
    { name: "ConsumedUnit", of: unit },
    { name: "ContractedCost", of: cost },
    { name: "EffectiveCost", of: cost },
    { name: "InvoiceIssuerName", of: () => NAME },
    { name: "ListCost", of: cost },
    { name: "PricingCategory", of: () => "Standard" },
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
    { name: "x_KubernetesNamespace", of: ({ row }) => row.namespace }
  ]
}

/**
 * Writes the costs of workloads.
 *
 * **Shape** one record for each part of a row's cost that is not 0: CPU in `Core-Hours`, memory in `GiB-Hours`, the others
 * without a quantity. A cluster is a sub-account, a workload a resource. The four costs are one: what the price book says,
 * discounts in it. These are estimates of a share of a bill, not the bill: `BilledCost` matches no invoice.
 *
 * **Limits** one part of the stream is held.
 *
 * @since 0.1.0
 */
export const workloads = <E, R>({
  rows,
  ...billing
}: Billing & { readonly rows: Stream.Stream<CostRow, E, R> }): Stream.Stream<string, E, R> =>
  Csv.of(rows, columnsOf(billing), (row) =>
    PARTS.filter(({ cost }) => cost(row) !== 0).map((part): Charge => ({ row, part }))
  )
