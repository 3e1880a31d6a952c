/** Examples of cost reports and explanations. Their figures agree with each other. */
import { AggregateBody, AggregatedCosts, AggregateRow, Bucket } from "@quarterdeck/cost/Aggregate"
import { WorkloadsBody } from "@quarterdeck/cost/CostQuery"
import {
  ComparedHours,
  CostCoverage,
  CostRow,
  CostTotals,
  PreviousCosts,
  PricedTotals,
  PriceEffect,
  ReportWindow,
  SeenHours,
  WorkloadCosts
} from "@quarterdeck/cost/CostRow"
import { ExplainedStep, Explanation, MeanPrices, Quantities } from "@quarterdeck/cost/Explanation"
import { example } from "./Example.ts"
import { coverage } from "./ListExamples.ts"

const HOURS = 168
const GIB = 2 ** 30

const window: typeof ReportWindow.Encoded = { start: "2026-11-14T06:00:00.000Z", end: "2026-11-21T06:00:00.000Z" }

/** A week of two replicas that request half a core and a GiB each. */
const totals: typeof CostTotals.Encoded = {
  totalCost: 6.73428,
  cpuCost: 5.310648,
  memoryCost: 1.423632,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0,
  replicaHours: 2 * HOURS,
  spotHours: 0,
  onDemandHours: 2 * HOURS,
  spotPercent: 0,
  onDemandPercent: 100,
  cpuCoreHours: HOURS,
  memoryByteHours: 2 * HOURS * GIB,
  cpuRequestedCoreHours: HOURS,
  cpuUsedCoreHours: 0.4 * HOURS,
  memoryRequestedByteHours: 2 * HOURS * GIB,
  memoryUsedByteHours: HOURS * GIB,
  cpuEfficiency: 0.4,
  memoryEfficiency: 0.5,
  efficiency: 0.42114,
  savingsAvailable: 2.1,
  costIncrease: 0,
  hoursExisted: HOURS,
  hoursCovered: HOURS
}

const pricedTotals: typeof PricedTotals.Encoded = { ...totals, idleCost: 3.21 }

const row: typeof CostRow.Encoded = {
  id: "hub/shop/Deployment/cart",
  cluster: "hub",
  namespace: "shop",
  workloadName: "cart",
  workloadType: "Deployment",
  ...totals,
  hourlyCost: 0.040085,
  cpuRecommendedMillis: 230,
  memoryRecommendedBytes: 671_088_640,
  recommendationDays: 7
}

const seen: typeof SeenHours.Encoded = { name: "hub", hoursCovered: HOURS, hoursInWindow: HOURS }
const costCoverage: typeof CostCoverage.Encoded = { ...coverage, ...seen }
const report = { totals, window, currency: "USD", clusters: [costCoverage], partial: false }

const group: typeof AggregateRow.Encoded = { group: { namespace: "shop", "label:team": "storefront" }, ...totals }
const bucket: typeof Bucket.Encoded = { ...window, clusters: [seen], rows: [group] }

const comparedHours: typeof ComparedHours.Encoded = { ...seen, comparable: true }
const previous: typeof PreviousCosts.Encoded = {
  window: { start: "2026-11-07T06:00:00.000Z", end: window.start },
  totals,
  clusters: [comparedHours]
}

const quantities: typeof Quantities.Encoded = {
  cpuCoreHours: 1,
  memoryByteHours: 2 * GIB,
  gpuHours: 0,
  storageByteHours: 0,
  zoneEgressBytes: 0,
  regionEgressBytes: 0,
  internetEgressBytes: 0,
  loadBalancerHours: 0,
  cpuUsedCoreHours: 0.4,
  memoryUsedByteHours: GIB,
  cpuRequestedCoreHours: 1,
  memoryRequestedByteHours: 2 * GIB,
  replicaHours: 2,
  spotHours: 0,
  hoursExisted: 1,
  hoursCovered: 1
}

const prices: typeof MeanPrices.Encoded = { cpuPerCoreHour: 0.031611, memoryPerGiBHour: 0.004237 }

const step: typeof ExplainedStep.Encoded = {
  start: "2026-11-21T05:00:00.000Z",
  end: "2026-11-21T06:00:00.000Z",
  source: "usage",
  quantities,
  prices,
  totalCost: 0.040085,
  cpuCost: 0.031611,
  memoryCost: 0.008474,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0
}

export const costExamples = [
  example(WorkloadsBody, { namespaces: ["shop"], multiCluster: true, clusters: ["hub", "prod"] }),
  example(WorkloadCosts, { aggregatedWorkloads: [{ ...row, previous: totals }], previous, ...report }),
  example(PreviousCosts, previous),
  example(ComparedHours, comparedHours),
  example(CostRow, row),
  example(CostTotals, totals),
  example(PricedTotals, pricedTotals),
  example(PriceEffect, {
    before: pricedTotals,
    after: { ...pricedTotals, totalCost: 7.265345, cpuCost: 5.841713, idleCost: 3.42 }
  }),
  example(CostCoverage, costCoverage),
  example(SeenHours, seen),
  example(ReportWindow, window),
  example(AggregateBody, { groupBy: ["namespace", "label:team"], idle: "show", compare: true, multiCluster: true }),
  example(AggregatedCosts, { rows: [{ ...group, previous: totals }], previous, ...report }),
  example(AggregateRow, group),
  example(Bucket, bucket),
  example(Explanation, {
    row,
    stepSize: "hour",
    hours: [step],
    window,
    currency: "USD",
    clusters: [costCoverage],
    partial: false
  }),
  example(ExplainedStep, step),
  example(Quantities, quantities),
  example(MeanPrices, prices)
]
