/** Workloads that the demo adds to the seeded shop, so that cost reports show typical cases. */

/** A workload with a story. **Shape** times are in days before now; curves are in the harness's text format. */
export interface Tale {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  readonly replicas: number
  readonly cpuRequestMillis: number
  readonly memoryRequestMib: number
  readonly cpu: string
  readonly memory: string
  readonly isOnSpot: boolean
  /** Absent if it has always existed. */
  readonly beganDaysAgo?: number
  /** Absent if it still exists. */
  readonly endedDaysAgo?: number
}

/** Length of the demo's history in days. */
export const HISTORY_DAYS = 30

const wasteful: Tale = {
  cluster: "prod",
  namespace: "payments",
  name: "reporting",
  replicas: 2,
  isOnSpot: false,
  cpuRequestMillis: 2_000,
  memoryRequestMib: 8_192,
  cpu: "flat 80m",
  memory: "flat 700Mi"
}

const cheap: Tale = {
  cluster: "prod",
  namespace: "shop",
  name: "thumbnails",
  replicas: 6,
  isOnSpot: true,
  cpuRequestMillis: 1_000,
  memoryRequestMib: 2_048,
  cpu: "wave 300m 950m every 24h at 14h",
  memory: "flat 1500Mi"
}

const fresh: Tale = {
  cluster: "hub",
  namespace: "shop",
  name: "assistant",
  replicas: 2,
  isOnSpot: false,
  beganDaysAgo: 3,
  cpuRequestMillis: 1_000,
  memoryRequestMib: 2_048,
  cpu: "wave 400m 900m every 24h at 18h",
  memory: "flat 1400Mi"
}

const over: Tale = {
  cluster: "prod",
  namespace: "shop",
  name: "flash-sale",
  replicas: 6,
  isOnSpot: false,
  endedDaysAgo: 4,
  cpuRequestMillis: 500,
  memoryRequestMib: 512,
  cpu: "wave 150m 650m every 24h at 20h",
  memory: "flat 380Mi"
}

/** A wasteful workload, one on spot nodes, a new one, and one that has ended. */
export const tales: ReadonlyArray<Tale> = [wasteful, cheap, fresh, over]

/** A period in which one cluster was unreachable. **Units** hours before the present one. */
export const outage = { cluster: "stage", beganHoursAgo: 75, endedHoursAgo: 70 } as const
