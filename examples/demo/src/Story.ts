/**
 * What the demo adds to the seeded shop, so that a report of costs has something to tell.
 */

/** A workload with a story. **Shape** instants are days before now; a curve as the harness writes them. */
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
  /** Absent: it has always been there. */
  readonly beganDaysAgo?: number
  /** Absent: it still is there. */
  readonly endedDaysAgo?: number
}

/** How far back the history of the demo reaches. */
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

/** One that wastes plainly, one on spot machines, one that is new, and one that has ended. */
export const tales: ReadonlyArray<Tale> = [wasteful, cheap, fresh, over]

/** A stretch in which one cluster could not be watched. **Units** hours before the present one. */
export const outage = { cluster: "stage", beganHoursAgo: 75, endedHoursAgo: 70 } as const
