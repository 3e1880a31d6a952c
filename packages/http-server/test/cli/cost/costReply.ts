import { coverage } from "../program.ts"

export const FIGURES = {
  totalCost: 12.5,
  cpuCost: 10,
  memoryCost: 2,
  gpuCost: 0.5,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0,
  replicaHours: 24,
  spotHours: 0,
  onDemandHours: 24,
  spotPercent: 0,
  onDemandPercent: 100,
  cpuCoreHours: 24,
  cpuRequestedCoreHours: 12,
  cpuUsedCoreHours: 6,
  memoryRequestedByteHours: 1,
  memoryUsedByteHours: 0.2,
  ...{
    memoryByteHours: 1,
    cpuEfficiency: 0.5,
    memoryEfficiency: 0.2,
    efficiency: 0.45,
    savingsAvailable: 4,
    costIncrease: 0,
    hoursExisted: 24
  },
  hoursCovered: 12
}

export const row = (name: string, facts: object = {}) => ({
  id: `prod/web/Deployment/${name}`,
  cluster: "prod",
  namespace: "web",
  workloadName: name,
  workloadType: "Deployment",
  hourlyCost: 0.00001,
  ...FIGURES,
  cpuRecommendedMillis: 0,
  memoryRecommendedBytes: 0,
  recommendationDays: 0,
  ...facts
})

export const reply = (facts: object = {}) => ({
  aggregatedWorkloads: [row("shop")],
  totals: FIGURES,
  window: { start: "2026-03-01T10:00:00.000Z", end: "2026-03-08T10:20:00.000Z" },
  currency: "EUR",
  clusters: [coverage("prod", { hoursCovered: 168, hoursInWindow: 168 })],
  partial: false,
  ...facts
})
