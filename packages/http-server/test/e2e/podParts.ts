/** What the kubelet writes of containers, and what a case of a pod is. */

/** **Shape** `spec` stands beside one container called `main`; `status` is written as the kubelet would. */
export interface PodCase {
  readonly name: string
  readonly shown: readonly [ready: string, status: string, restarts: string]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly isDeleted?: true
}

/** Some days and a half ago: the age stays the same, in kubectl's words, while the tests run. */
const daysAgo = (days: number): string =>
  `${new Date(Date.now() - (days + 0.5) * 86_400_000).toISOString().slice(0, 19)}Z`

const STARTED_AT = daysAgo(30)
/** Shown as `20d ago` and `10d ago`. */
export const ENDED_AT = daysAgo(20)
export const ENDED_LATER_AT = daysAgo(10)

type State = Readonly<Record<string, unknown>>
interface More {
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly endedAt?: string
}

export const running: State = { running: { startedAt: STARTED_AT } }
export const waiting = (reason?: string): State => ({ waiting: reason === undefined ? {} : { reason } })
export const ended = (exitCode: number, more: object = {}): State => ({
  terminated: { exitCode, startedAt: STARTED_AT, finishedAt: ENDED_AT, ...more }
})

export const container = (
  name: string,
  state: State,
  { endedAt, ready = false, restartCount = 0, started }: More = {}
) => ({
  name,
  image: "acme/main:1",
  imageID: "",
  ready,
  restartCount,
  state,
  ...(started === undefined ? {} : { started }),
  ...(endedAt === undefined ? {} : { lastState: ended(1, { reason: "Error", finishedAt: endedAt }) })
})

export const containers = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, image: "acme/main:1" }))
export const condition = (type: string, status: "True" | "False", reason?: string) => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason })
})
export const isReady = condition("Ready", "True")
export const isInitialized = condition("Initialized", "True")

export const main = (state: State, more?: More) => ({ containerStatuses: [container("main", state, more)] })
