/**
 * Pods in every state that kubectl has a word for, each with the READY, STATUS and RESTARTS that it shows.
 */

/** **Shape** `spec` stands beside one container called `main`; `status` is written as the kubelet would. */
export interface PodCase {
  readonly name: string
  readonly shown: readonly [ready: string, status: string, restarts: string]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly isDeleted?: true
}

/** Long ago, so that an age in kubectl's words stays the same for a while. */
const STARTED_AT = "2016-01-01T00:00:00Z"
const ENDED_AT = "2016-01-02T00:00:00Z"
const ENDED_LATER_AT = "2016-06-02T00:00:00Z"

type State = Readonly<Record<string, unknown>>
interface More {
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly endedAt?: string
}

const running: State = { running: { startedAt: STARTED_AT } }
const waiting = (reason?: string): State => ({ waiting: reason === undefined ? {} : { reason } })
const ended = (exitCode: number, more: object = {}): State => ({
  terminated: { exitCode, startedAt: STARTED_AT, finishedAt: ENDED_AT, ...more }
})

const container = (name: string, state: State, { endedAt, ready = false, restartCount = 0, started }: More = {}) => ({
  name,
  image: "acme/main:1",
  imageID: "",
  ready,
  restartCount,
  state,
  ...(started === undefined ? {} : { started }),
  ...(endedAt === undefined ? {} : { lastState: ended(1, { reason: "Error", finishedAt: endedAt }) })
})

const containers = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, image: "acme/main:1" }))
const sidecar = (name: string) => ({ name, image: "acme/main:1", restartPolicy: "Always" })
const condition = (type: string, status: "True" | "False", reason?: string) => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason })
})
const isReady = condition("Ready", "True")
const isInitialized = condition("Initialized", "True")

const main = (state: State, more?: More) => ({ containerStatuses: [container("main", state, more)] })
const two = { containers: containers("main", "second") }
const init = { initContainers: containers("first", "next") }

const WHOLE: ReadonlyArray<PodCase> = [
  { name: "pending", shown: ["0/1", "Pending", "0"] },
  { name: "gated", shown: ["0/1", "SchedulingGated", "0"], spec: { schedulingGates: [{ name: "acme.io/hold" }] } },
  {
    name: "evicted",
    shown: ["0/1", "Evicted", "0"],
    status: { phase: "Failed", reason: "Evicted", message: "the node was low on memory" }
  },
  {
    name: "unknown-phase",
    shown: ["0/1", "Unknown", "0"],
    status: { phase: "Unknown" }
  },
  {
    name: "terminating",
    shown: ["1/1", "Terminating", "0"],
    status: { phase: "Running", conditions: [isReady], ...main(running, { ready: true }) },
    isDeleted: true
  },
  {
    name: "terminating-ended",
    shown: ["0/1", "Completed", "0"],
    status: { phase: "Succeeded", ...main(ended(0, { reason: "Completed" })) },
    isDeleted: true
  },
  {
    name: "node-lost",
    shown: ["1/1", "Unknown", "0"],
    status: { phase: "Running", reason: "NodeLost", conditions: [isReady], ...main(running, { ready: true }) },
    isDeleted: true
  }
]

const CONTAINERS: ReadonlyArray<PodCase> = [
  {
    name: "creating",
    shown: ["0/1", "ContainerCreating", "0"],
    status: { phase: "Pending", ...main(waiting("ContainerCreating")) }
  },
  { name: "waiting-silently", shown: ["0/1", "Pending", "0"], status: { phase: "Pending", ...main(waiting()) } },
  {
    name: "running",
    shown: ["1/1", "Running", "0"],
    status: { phase: "Running", conditions: [isReady], ...main(running, { ready: true }) }
  },
  { name: "unready", shown: ["0/1", "Running", "0"], status: { phase: "Running", ...main(running) } },
  {
    name: "restarted",
    shown: ["1/1", "Running", "3 (10y ago)"],
    status: {
      phase: "Running",
      conditions: [isReady],
      ...main(running, { ready: true, restartCount: 3, endedAt: ENDED_AT })
    }
  },
  {
    name: "restarted-at-no-time",
    shown: ["1/1", "Running", "3"],
    status: { phase: "Running", ...main(running, { ready: true, restartCount: 3 }) }
  },
  {
    name: "ended-before-without-restart",
    shown: ["1/1", "Running", "0"],
    status: { phase: "Running", ...main(running, { ready: true, endedAt: ENDED_AT }) }
  },
  {
    name: "crashing",
    shown: ["0/1", "CrashLoopBackOff", "7 (10y ago)"],
    status: { phase: "Running", ...main(waiting("CrashLoopBackOff"), { restartCount: 7, endedAt: ENDED_AT }) }
  },
  {
    name: "image-missing",
    shown: ["0/1", "ImagePullBackOff", "0"],
    status: { phase: "Pending", ...main(waiting("ImagePullBackOff")) }
  },
  {
    name: "completed",
    shown: ["0/1", "Completed", "0"],
    status: { phase: "Succeeded", ...main(ended(0, { reason: "Completed" })) }
  },
  { name: "failed", shown: ["0/1", "Error", "0"], status: { phase: "Failed", ...main(ended(2, { reason: "Error" })) } },
  {
    name: "out-of-memory",
    shown: ["0/1", "OOMKilled", "0"],
    status: { phase: "Failed", ...main(ended(137, { reason: "OOMKilled" })) }
  },
  { name: "exit-code", shown: ["0/1", "ExitCode:3", "0"], status: { phase: "Failed", ...main(ended(3)) } },
  { name: "signal", shown: ["0/1", "Signal:9", "0"], status: { phase: "Failed", ...main(ended(137, { signal: 9 })) } },
  {
    name: "first-of-two-counts",
    shown: ["0/2", "CrashLoopBackOff", "5 (10y ago)"],
    spec: two,
    status: {
      phase: "Running",
      containerStatuses: [
        container("main", waiting("CrashLoopBackOff"), { restartCount: 4, endedAt: ENDED_AT }),
        container("second", waiting("ImagePullBackOff"), { restartCount: 1, endedAt: ENDED_LATER_AT })
      ]
    }
  },
  {
    name: "one-of-two-completed-and-ready",
    shown: ["1/2", "Running", "0"],
    spec: two,
    status: {
      phase: "Running",
      conditions: [isReady],
      containerStatuses: [
        container("main", ended(0, { reason: "Completed" })),
        container("second", running, { ready: true })
      ]
    }
  },
  {
    name: "one-of-two-completed",
    shown: ["1/2", "NotReady", "0"],
    spec: two,
    status: {
      phase: "Running",
      conditions: [condition("Ready", "False")],
      containerStatuses: [
        container("main", ended(0, { reason: "Completed" })),
        container("second", running, { ready: true })
      ]
    }
  },
  {
    name: "one-of-two-completed-other-unready",
    shown: ["0/2", "Completed", "0"],
    spec: two,
    status: {
      phase: "Running",
      containerStatuses: [container("main", ended(0, { reason: "Completed" })), container("second", running)]
    }
  },
  {
    name: "one-of-two-failed",
    shown: ["1/2", "Error", "0"],
    spec: two,
    status: {
      phase: "Running",
      containerStatuses: [
        container("main", ended(1, { reason: "Error" })),
        container("second", running, { ready: true })
      ]
    }
  }
]

const notYet = main(waiting("PodInitializing"))
const done = container("first", ended(0, { reason: "Completed" }))

const INITIALISING: ReadonlyArray<PodCase> = [
  { name: "init-unknown", shown: ["0/1", "Pending", "0"], spec: init, status: { phase: "Pending" } },
  {
    name: "init-first-waits",
    shown: ["0/1", "Init:0/2", "0"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("first", waiting("PodInitializing")),
        container("next", waiting("PodInitializing"))
      ]
    }
  },
  {
    name: "init-first-runs",
    shown: ["0/1", "Init:0/2", "0"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [container("first", running), container("next", waiting("PodInitializing"))]
    }
  },
  {
    name: "init-second-runs",
    shown: ["0/1", "Init:1/2", "2 (10y ago)"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("first", ended(0, { reason: "Completed" }), { restartCount: 2, endedAt: ENDED_AT }),
        container("next", running)
      ]
    }
  },
  {
    name: "init-crashes",
    shown: ["0/1", "Init:CrashLoopBackOff", "4 (10y ago)"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        done,
        container("next", waiting("CrashLoopBackOff"), { restartCount: 4, endedAt: ENDED_AT })
      ]
    }
  },
  {
    name: "init-failed",
    shown: ["0/1", "Init:Error", "0"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("first", ended(1, { reason: "Error" })),
        container("next", waiting("PodInitializing"))
      ]
    }
  },
  {
    name: "init-exit-code",
    shown: ["0/1", "Init:ExitCode:5", "0"],
    spec: init,
    status: { phase: "Pending", ...notYet, initContainerStatuses: [container("first", ended(5))] }
  },
  {
    name: "init-signal",
    shown: ["0/1", "Init:Signal:9", "0"],
    spec: init,
    status: { phase: "Pending", ...notYet, initContainerStatuses: [container("first", ended(137, { signal: 9 }))] }
  },
  {
    name: "init-waits-silently",
    shown: ["0/1", "Init:0/2", "0"],
    spec: init,
    status: { phase: "Pending", ...notYet, initContainerStatuses: [container("first", waiting())] }
  },
  {
    name: "init-done",
    shown: ["0/1", "PodInitializing", "0"],
    spec: init,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("first", ended(0, { reason: "Completed" }), { restartCount: 2, endedAt: ENDED_AT }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  },
  {
    name: "init-restarts-forgotten",
    shown: ["1/1", "Running", "1 (10y ago)"],
    spec: init,
    status: {
      phase: "Running",
      conditions: [isReady, isInitialized],
      ...main(running, { ready: true, restartCount: 1, endedAt: ENDED_AT }),
      initContainerStatuses: [
        container("first", ended(0, { reason: "Completed" }), { restartCount: 2, endedAt: ENDED_LATER_AT }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  },
  {
    name: "init-again-beside-running",
    shown: ["1/1", "Init:0/2", "0"],
    spec: init,
    status: {
      phase: "Running",
      conditions: [isReady, isInitialized],
      ...main(running, { ready: true }),
      initContainerStatuses: [container("first", running, { restartCount: 2 })]
    }
  },
  {
    name: "init-terminating",
    shown: ["0/1", "Terminating", "0"],
    spec: init,
    status: { phase: "Pending", ...notYet, initContainerStatuses: [container("first", running)] },
    isDeleted: true
  }
]

const withSidecar = { initContainers: [sidecar("proxy"), ...containers("next")] }

const SIDECARS: ReadonlyArray<PodCase> = [
  {
    name: "sidecar-starts",
    shown: ["0/2", "Init:0/2", "0"],
    spec: withSidecar,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("proxy", running, { started: false }),
        container("next", waiting("PodInitializing"))
      ]
    }
  },
  {
    name: "sidecar-ready-before-the-next",
    shown: ["1/2", "Init:1/2", "0"],
    spec: withSidecar,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [container("proxy", running, { started: true, ready: true }), container("next", running)]
    }
  },
  {
    name: "sidecar-crashes-at-start",
    shown: ["0/2", "Init:CrashLoopBackOff", "3 (10y ago)"],
    spec: withSidecar,
    status: {
      phase: "Pending",
      ...notYet,
      initContainerStatuses: [
        container("proxy", waiting("CrashLoopBackOff"), { started: false, restartCount: 3, endedAt: ENDED_AT })
      ]
    }
  },
  {
    name: "sidecar-beside-running",
    shown: ["2/2", "Running", "3 (10y ago)"],
    spec: withSidecar,
    status: {
      phase: "Running",
      conditions: [isReady, isInitialized],
      ...main(running, { ready: true, restartCount: 1, endedAt: ENDED_AT }),
      initContainerStatuses: [
        container("proxy", running, { started: true, ready: true, restartCount: 2, endedAt: ENDED_LATER_AT }),
        container("next", ended(0, { reason: "Completed" }), { restartCount: 5, endedAt: ENDED_LATER_AT })
      ]
    }
  },
  {
    name: "sidecar-unready",
    shown: ["1/2", "Running", "0"],
    spec: withSidecar,
    status: {
      phase: "Running",
      conditions: [isInitialized],
      ...main(running, { ready: true }),
      initContainerStatuses: [
        container("proxy", running, { started: true }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  },
  {
    name: "sidecar-crashes-later",
    shown: ["1/2", "Init:CrashLoopBackOff", "4 (10y ago)"],
    spec: withSidecar,
    status: {
      phase: "Running",
      conditions: [isInitialized],
      ...main(running, { ready: true }),
      initContainerStatuses: [
        container("proxy", waiting("CrashLoopBackOff"), { started: false, restartCount: 4, endedAt: ENDED_AT }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  },
  {
    name: "sidecar-of-a-completed-pod",
    shown: ["0/2", "Completed", "0"],
    spec: withSidecar,
    status: {
      phase: "Succeeded",
      conditions: [isInitialized],
      ...main(ended(0, { reason: "Completed" })),
      initContainerStatuses: [
        container("proxy", ended(0, { reason: "Completed" }), { started: false }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  },
  {
    name: "sidecar-killed-after-completion",
    shown: ["0/2", "Completed", "0"],
    spec: withSidecar,
    status: {
      phase: "Succeeded",
      conditions: [isInitialized],
      ...main(ended(0, { reason: "Completed" })),
      initContainerStatuses: [
        container("proxy", ended(137, { reason: "Error" }), { started: false }),
        container("next", ended(0, { reason: "Completed" }))
      ]
    }
  }
]

export const POD_CASES: ReadonlyArray<PodCase> = [...WHOLE, ...CONTAINERS, ...INITIALISING, ...SIDECARS]
