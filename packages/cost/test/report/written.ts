import { Effect, Stream } from "effect"
import type { BilledRow } from "../../src/report/CostRow.ts"
import { prod } from "../store/samples.ts"

export const row = (rest: Partial<BilledRow> = {}): BilledRow => ({
  id: "prod/shop/Deployment/api",
  cluster: prod,
  namespace: "shop",
  workloadName: "api",
  workloadType: "Deployment",
  totalCost: 1.5,
  cpuCost: 1,
  memoryCost: 0.5,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0,
  hourlyCost: 1.5,
  replicaHours: 1,
  spotHours: 0,
  onDemandHours: 1,
  spotPercent: 0,
  onDemandPercent: 100,
  cpuCoreHours: 2,
  memoryByteHours: 1_073_741_824,
  cpuRequestedCoreHours: 2,
  cpuUsedCoreHours: 1,
  memoryRequestedByteHours: 8,
  memoryUsedByteHours: 2,
  cpuEfficiency: 0.5,
  memoryEfficiency: 0.25,
  efficiency: 0.4,
  savingsAvailable: 0,
  costIncrease: 0,
  cpuRecommendedMillis: 0,
  memoryRecommendedBytes: 0,
  recommendationDays: 0,
  hoursExisted: 1,
  hoursCovered: 1,
  gpuHours: 0,
  storageByteHours: 0,
  egressBytes: 0,
  loadBalancerHours: 0,
  ...rest
})

export const clusters = [{ name: prod, hoursCovered: 162.5, hoursInWindow: 168 }]

export const collect = <E>(text: Stream.Stream<string, E>) =>
  Effect.map(Stream.runCollect(text), (parts) => [...parts].join(""))

/** Reads RFC 4180 back. */
export const read = (text: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  const records = [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n))+?(?<=\r\n)/g)].map(([record]) =>
    [...record.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g)].map(([, field = ""]) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
    )
  )
  const [names = [], ...rows] = records
  return rows.map((fields) => Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""])))
}
