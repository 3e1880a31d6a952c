/** Pods whose init containers and sidecars decide what kubectl shows. */
import {
  container,
  containers,
  ended,
  ENDED_AT,
  ENDED_LATER_AT,
  isInitialized,
  isReady,
  main,
  running,
  waiting,
  type PodCase
} from "./podParts.ts"

const init = { initContainers: containers("first", "next") }
const sidecar = (name: string) => ({ name, image: "acme/main:1", restartPolicy: "Always" })

const notYet = main(waiting("PodInitializing"))
const done = container("first", ended(0, { reason: "Completed" }))

export const INITIALISING: ReadonlyArray<PodCase> = [
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
    shown: ["0/1", "Init:1/2", "2 (20d ago)"],
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
    shown: ["0/1", "Init:CrashLoopBackOff", "4 (20d ago)"],
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
    shown: ["1/1", "Running", "1 (20d ago)"],
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

export const SIDECARS: ReadonlyArray<PodCase> = [
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
    shown: ["0/2", "Init:CrashLoopBackOff", "3 (20d ago)"],
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
    shown: ["2/2", "Running", "3 (10d ago)"],
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
    shown: ["1/2", "Init:CrashLoopBackOff", "4 (20d ago)"],
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
