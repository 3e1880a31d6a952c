/**
 * `quarterdeck cost explain`: the hours, quantities and prices behind the cost of a workload.
 */
import { type ExplainedStep, Explanation, type MeanPrices, Quantities } from "@quarterdeck/cost/Explanation"
import type { CostTotals } from "@quarterdeck/cost/CostRow"
import { GIB_BYTES } from "@quarterdeck/cost/Units"
import { Clock, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { misused } from "../print/CommandFailure.ts"
import * as Connection from "../request/Connection.ts"
import * as CostFlags from "./CostFlags.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as CostNotes from "./CostNotes.ts"
import * as CostText from "./CostText.ts"
import * as Output from "../print/Output.ts"
import { outputFlag } from "../print/OutputFlag.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"

export const costExplainCommand = Command.make(
  "explain",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("cluster/namespace/type/name of a workload, as in the report's columns")
    ),
    ...CostFlags.window,
    output: outputFlag,
    url: Connection.urlFlag
  },
  Effect.fn("cost explain")(function* ({ id: text, output, url, ...window }) {
    const connection = yield* Connection.read(url)
    const parts = text.split("/")
    const [cluster = "", namespace = "", type = "", name = ""] = parts
    const id = [cluster, namespace, KindNames.parse(type), name].join("/")
    if (parts.length !== 4 || parts.includes("")) {
      return yield* misused("id must be cluster/namespace/type/name, such as prod/shop/Deployment/api")
    }
    const explanation = yield* ApiClient.call(connection, Explanation, {
      method: "GET",
      path: "/api/v1/costExplanation",
      flags: { ...CostFlags.flagOf, id: "id" },
      query: [["cluster", cluster], ["id", id], ...(yield* CostFlags.queryOf(window))]
    })
    yield* Print.output(PRINTERS[output](explanation))
    const notes = [
      ...differenceOf(explanation),
      ...sharedOf(explanation),
      ...CostNotes.lines(explanation.clusters, yield* Clock.currentTimeMillis)
    ]
    yield* Effect.forEach(notes, Print.note, { discard: true })
  })
).pipe(
  Command.withDescription(
    "Show the quantity, price and cost of each hour of a workload, and the source of the quantities. Windows longer than 31 days are shown by day."
  ),
  Command.withShortDescription("Show the hours, quantities and prices behind a workload's cost"),
  Command.withExamples([
    { command: "quarterdeck cost explain prod/shop/Deployment/api --range 24h" },
    { command: "quarterdeck cost explain prod/shop/Deployment/api --from 2026-03-01 --to 2026-04-01 -o csv" }
  ])
)

/** A part of the cost. **Shape** a quantity, its mean price, and its cost. */
interface Part {
  readonly titles: readonly [quantity: string, cost: string]
  readonly quantity: (quantities: Quantities) => number
  readonly price: keyof MeanPrices
  readonly cost: keyof CostTotals & keyof ExplainedStep
  /** Shown even if the quantity is 0. */
  readonly isUsual: boolean
}

const inGib = (bytes: number): number => bytes / GIB_BYTES

const PARTS: ReadonlyArray<Part> = [
  {
    titles: ["CORE-H", "CPU"],
    quantity: ({ cpuCoreHours }) => cpuCoreHours,
    price: "cpuPerCoreHour",
    cost: "cpuCost",
    isUsual: true
  },
  {
    titles: ["GIB-H", "MEMORY"],
    quantity: ({ memoryByteHours }) => inGib(memoryByteHours),
    price: "memoryPerGiBHour",
    cost: "memoryCost",
    isUsual: true
  },
  {
    titles: ["GPU-H", "GPU"],
    quantity: ({ gpuHours }) => gpuHours,
    price: "gpuPerHour",
    cost: "gpuCost",
    isUsual: false
  },
  {
    titles: ["VOLUME GIB-H", "STORAGE"],
    quantity: ({ storageByteHours }) => inGib(storageByteHours),
    price: "storagePerGiBHour",
    cost: "storageCost",
    isUsual: false
  },
  {
    titles: ["EGRESS GIB", "NETWORK"],
    quantity: ({ internetEgressBytes, regionEgressBytes, zoneEgressBytes }) =>
      inGib(internetEgressBytes + regionEgressBytes + zoneEgressBytes),
    price: "egressPerGiB",
    cost: "networkCost",
    isUsual: false
  },
  {
    titles: ["BALANCER-H", "BALANCER"],
    quantity: ({ loadBalancerHours }) => loadBalancerHours,
    price: "loadBalancerPerHour",
    cost: "loadBalancerCost",
    isUsual: false
  }
]

/** A step, or the sum of all steps. */
interface Line {
  readonly start: string
  readonly source: string
  readonly figures: (part: Part) => {
    readonly quantity: number
    readonly price: number | undefined
    readonly cost: number
  }
  readonly totalCost: number
}

const lineOf = (step: ExplainedStep): Line => ({
  start: CostText.minute(step.start),
  source: step.open === true ? `${step.source}, open` : step.source,
  figures: ({ cost, price, quantity }) => ({
    quantity: quantity(step.quantities),
    price: step.prices[price],
    cost: step[cost]
  }),
  totalCost: step.totalCost
})

const sum = <A>(values: ReadonlyArray<A>, of: (value: A) => number): number =>
  values.reduce((all, value) => all + of(value), 0)

/** Sums the steps; the price is the mean over all of them. */
const sumOf = (steps: ReadonlyArray<ExplainedStep>): Line => ({
  start: "SUM",
  source: "",
  figures: (part) => {
    const quantity = sum(steps, ({ quantities }) => part.quantity(quantities))
    const cost = sum(steps, (step) => step[part.cost])
    return { quantity, price: quantity === 0 ? undefined : cost / quantity, cost }
  },
  totalCost: sum(steps, ({ totalCost }) => totalCost)
})

const tableOf = ({ currency, hours, row, stepSize, window }: Explanation): string => {
  const total = sumOf(hours)
  const parts = PARTS.filter((part) => {
    const { cost, quantity } = total.figures(part)
    return part.isUsual || cost !== 0 || quantity !== 0
  })
  const columns: ReadonlyArray<Output.Column<Line>> = [
    { title: `${stepSize.toUpperCase()} (UTC)`, cell: ({ start }) => start },
    ...parts.flatMap((part): ReadonlyArray<Output.Column<Line>> => [
      { title: part.titles[0], align: "right", cell: ({ figures }) => CostText.quantity(figures(part).quantity) },
      { title: "x PRICE", align: "right", cell: ({ figures }) => priceOf(figures(part).price) },
      { title: `= ${part.titles[1]}`, align: "right", cell: ({ figures }) => CostText.money(figures(part).cost, 4) }
    ]),
    { title: "TOTAL", align: "right", cell: ({ totalCost }) => CostText.money(totalCost, 4) },
    { title: "FROM", cell: ({ source }) => source }
  ]
  const facts = [
    `${row.id}, ${CostText.money(row.totalCost)} ${currency}`,
    CostText.window(window, currency),
    `existed ${CostText.span(row.hoursExisted)}, usage known for ${CostText.span(row.hoursCovered)}`,
    row.cpuEfficiency === null && row.memoryEfficiency === null
      ? `efficiency: ${CostText.NOT_KNOWN}`
      : `efficiency: CPU ${efficiencyOf(row.cpuEfficiency)}, memory ${efficiencyOf(row.memoryEfficiency)}`,
    row.recommendationDays === 0
      ? "no recommendation: no usage is known for the last days"
      : `recommended for one replica: CPU ${PlainText.cores(row.cpuRecommendedMillis)}, memory ${PlainText.bytes(row.memoryRecommendedBytes)}, from ${CostText.span(row.recommendationDays * 24)} of usage; savings ${CostText.money(row.savingsAvailable)} ${currency}${row.costIncrease > 0 ? `, cost increase at most ${CostText.money(row.costIncrease)} ${currency}` : ""}`
  ]
  return `${Output.table(columns, [...hours.map(lineOf), total])}\n${facts.map((fact) => `${PlainText.oneLine(fact)}\n`).join("")}`
}

const efficiencyOf = (part: number | null): string => (part === null ? CostText.NOT_KNOWN : CostText.percent(part))

const priceOf = (amount: number | undefined): string => (amount === undefined ? "-" : CostText.price(amount))

const isQuantity = (name: string): name is keyof Quantities => Object.hasOwn(Quantities.fields, name)
const QUANTITIES = Object.keys(Quantities.fields).filter(isQuantity)
const CSV_COSTS = ["totalCost", ...PARTS.map(({ cost }) => cost)] as const

/** Renders all quantities and prices as CSV, with the JSON's field names as titles. */
const csvOf = ({ currency, hours }: Explanation): string => {
  const quantities = QUANTITIES
  const prices = PARTS.map(({ price }) => price)
  return Output.csv<ExplainedStep>(
    [
      { title: "start", cell: ({ start }) => start },
      { title: "end", cell: ({ end }) => end },
      { title: "source", cell: ({ source }) => source },
      { title: "open", cell: ({ open }) => String(open === true) },
      { title: "priceChange", cell: ({ priceChange = "" }) => priceChange },
      ...quantities.map((name) => ({ title: name, cell: (step: ExplainedStep) => step.quantities[name] })),
      ...prices.map((name) => ({ title: name, cell: (step: ExplainedStep) => step.prices[name] ?? "" })),
      ...CSV_COSTS.map((name) => ({ title: name, cell: (step: ExplainedStep) => step[name] })),
      { title: "currency", cell: () => currency }
    ],
    hours
  )
}

const PRINTERS: Record<Output.Format, (explanation: Explanation) => string> = {
  table: tableOf,
  json: Output.json,
  yaml: Output.yaml,
  csv: csvOf
}

/** Returns notes about the steps whose cost is not exact. */
const sharedOf = ({ hours }: Explanation): ReadonlyArray<string> => {
  const steps = hours.filter(({ priceChange }) => priceChange === "share").map(({ start }) => CostText.minute(start))
  return steps.length === 0
    ? []
    : [
        `note: a price that is valid from a moment within ${steps.join(", ")} was set after that step: it applies to a share of the step`
      ]
}

/** Warns if the steps do not sum to the row's cost. Rounding may differ in the last digits. */
const differenceOf = ({ hours, row }: Explanation): ReadonlyArray<string> => {
  const total = sumOf(hours).totalCost
  if (Math.abs(total - row.totalCost) <= 1e-6 * Math.max(1, Math.abs(row.totalCost))) return []
  return [`warning: the steps sum to ${total}, but the report has ${row.totalCost}`]
}
