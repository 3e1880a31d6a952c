/**
 * Pods in every state that kubectl has a word for, each with the READY, STATUS and RESTARTS that it shows.
 */

import { INITIALISING, SIDECARS } from "./podInitCases.ts"
import {
  condition,
  container,
  containers,
  ended,
  ENDED_AT,
  ENDED_LATER_AT,
  isReady,
  main,
  running,
  waiting,
  type PodCase
} from "./podParts.ts"
const two = { containers: containers("main", "second") }

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
    shown: ["1/1", "Running", "3 (20d ago)"],
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
    shown: ["0/1", "CrashLoopBackOff", "7 (20d ago)"],
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
    shown: ["0/2", "CrashLoopBackOff", "5 (10d ago)"],
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

/** All of them. */
export const POD_CASES: ReadonlyArray<PodCase> = [...WHOLE, ...CONTAINERS, ...INITIALISING, ...SIDECARS]
