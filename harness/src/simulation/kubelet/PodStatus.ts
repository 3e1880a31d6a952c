/** Pod statuses as a kubelet reports them. */
import { CRASH_LOOP, type PodScript } from "./PodScript.ts"
import { isSidecar, type PodView } from "./PodView.ts"
import type { Run, Stage } from "./Timeline.ts"

/** Addresses of a pod and its host. */
export interface Placement {
  readonly hostIp: string
  readonly podIp: string
}

/** The inputs of a status. */
export interface Scene {
  readonly pod: PodView
  readonly script: PodScript
  readonly stage: Stage
  readonly originMs: number
  readonly placement: Placement
}

type Container = PodView["spec"]["containers"][number]

const EVICTED = "Evicted"
const CREATING = "ContainerCreating"

/** Formats a time as the API does, in whole seconds. */
export const instant = (milliseconds: number): string =>
  `${new Date(Math.floor(milliseconds / 1_000) * 1_000).toISOString().slice(0, 19)}Z`

/** Returns the complete status that the kubelet reports. */
export const render = (scene: Scene) => {
  const { originMs, placement, pod, stage } = scene
  const startTime = instant(originMs)
  const place = {
    hostIP: placement.hostIp,
    hostIPs: [{ ip: placement.hostIp }],
    podIP: placement.podIp,
    podIPs: [{ ip: placement.podIp }]
  }
  const inits = pod.spec.initContainers ?? []
  return {
    phase: phaseOf(scene),
    startTime,
    ...place,
    ...(stage._tag === "Over" && scene.script.fail === EVICTED
      ? { reason: EVICTED, message: "The node was low on resource: memory." }
      : {}),
    conditions: conditionsOf(scene),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits.map((init) => initStatus(init, scene)) }),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(container, scene))
  }
}

/** Returns a status that reports an invalid annotation as the containers' waiting reason. */
export const invalid = (pod: PodView, problem: string) => ({
  phase: "Pending",
  containerStatuses: pod.spec.containers.map((container) => ({
    ...identity(container),
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: "InvalidAnnotation", message: problem } }
  }))
})

/** Returns whether the failure affects this container. Other containers keep running. */
const fails = ({ name }: Container, { container }: PodScript): boolean => container === undefined || container === name

const phaseOf = ({ pod, script, stage }: Scene): string => {
  switch (stage._tag) {
    case "Waiting":
    case "Initializing":
      return "Pending"
    case "Running":
    case "BackingOff":
      return "Running"
    case "Over":
      // If other containers are still running, so is the pod.
      if (script.container !== undefined && pod.spec.containers.length > 1) return "Running"
      return script.exitCode === 0 ? "Succeeded" : "Failed"
  }
}

const conditionsOf = ({ originMs, pod, stage, script }: Scene) => {
  const condition = (type: string, holds: boolean, sinceMs: number, reason?: string) => ({
    type,
    status: holds ? "True" : "False",
    lastTransitionTime: instant(sinceMs),
    ...(reason === undefined ? {} : { reason })
  })
  const initialized = stage._tag !== "Waiting" && stage._tag !== "Initializing"
  const hasInits = (pod.spec.initContainers ?? []).length > 0
  const readyMs = stage._tag === "Running" ? stage.readyMs : undefined
  const sinceMs = readyMs ?? sinceOf(stage, originMs)
  const unready = stage._tag === "Over" ? (script.exitCode === 0 ? "PodCompleted" : "PodFailed") : "ContainersNotReady"
  const ready = (type: string) =>
    condition(type, readyMs !== undefined, sinceMs, readyMs === undefined ? unready : undefined)
  return [
    ...(isScheduledAlready(pod) ? [] : [condition("PodScheduled", true, originMs)]),
    condition("PodReadyToStartContainers", stage._tag !== "Waiting" && stage._tag !== "Over", originMs),
    initialized || !hasInits
      ? condition("Initialized", true, initialized ? startOf(stage, originMs) : originMs)
      : condition("Initialized", false, originMs, "ContainersNotInitialized"),
    ready("ContainersReady"),
    ...(pod.spec.readinessGates ?? []).map(({ conditionType }) =>
      condition(conditionType, readyMs !== undefined, sinceMs)
    ),
    ready("Ready")
  ]
}

const isScheduledAlready = ({ status }: PodView): boolean => {
  const conditions = status?.["conditions"]
  return (
    Array.isArray(conditions)
    && conditions.some(
      (condition: unknown) =>
        typeof condition === "object" && condition !== null && "type" in condition && condition.type === "PodScheduled"
    )
  )
}

const startOf = (stage: Stage, originMs: number): number => {
  switch (stage._tag) {
    case "Waiting":
      return originMs
    case "Initializing":
    case "Running":
      return stage.sinceMs
    case "BackingOff":
      return stage.last.fromMs
    case "Over":
      return stage.run.fromMs
  }
}

const sinceOf = (stage: Stage, originMs: number): number => {
  if (stage._tag === "BackingOff") return stage.last.toMs
  return stage._tag === "Over" ? stage.run.toMs : startOf(stage, originMs)
}

const identity = ({ image, name }: Container) => ({ name, image: image ?? "", imageID: "" })

const runningSince = (milliseconds: number) => ({ running: { startedAt: instant(milliseconds) } })

const terminated = ({ fromMs, toMs }: Run, exitCode: number, reason: string) => ({
  terminated: { exitCode, reason, startedAt: instant(fromMs), finishedAt: instant(toMs) }
})

const ended = (run: Run, script: PodScript) => {
  const reason =
    script.fail === undefined || script.fail === CRASH_LOOP || script.fail === EVICTED ? undefined : script.fail
  return terminated(run, script.exitCode, reason ?? (script.exitCode === 0 ? "Completed" : "Error"))
}

const up = (container: Container, sinceMs: number, ready: boolean) => ({
  ...identity(container),
  ready,
  started: true,
  restartCount: 0,
  state: runningSince(sinceMs)
})

const containerStatus = (container: Container, scene: Scene) => {
  const { script, stage } = scene
  const down = { ...identity(container), ready: false, started: false, restartCount: 0 }
  switch (stage._tag) {
    case "Waiting":
      return {
        ...down,
        state: { waiting: waitingFor(fails(container, script) ? stage.reason : CREATING, container) }
      }
    case "Initializing":
      return { ...down, state: { waiting: { reason: "PodInitializing" } } }
    case "Running": {
      const running = up(container, stage.sinceMs, stage.readyMs !== undefined)
      if (!fails(container, script)) return { ...running, state: runningSince(firstStart(scene)) }
      const { previous, restarts } = stage
      return {
        ...running,
        restartCount: restarts,
        ...(previous === undefined ? {} : { lastState: ended(previous, script) })
      }
    }
    case "BackingOff":
      if (!fails(container, script)) return up(container, firstStart(scene), true)
      return {
        ...down,
        restartCount: stage.restarts,
        state: {
          waiting: {
            reason: CRASH_LOOP,
            message: `back-off ${backOffText(stage.delayMs)} restarting failed container=${container.name}`
          }
        },
        lastState: ended(stage.last, script)
      }
    case "Over":
      if (!fails(container, script)) return up(container, stage.run.fromMs, true)
      return { ...down, restartCount: stage.restarts, state: ended(stage.run, script) }
  }
}

/** Start time of containers that do not fail. */
const firstStart = ({ originMs, pod, script }: Scene): number => {
  const inits = (pod.spec.initContainers ?? []).filter((init) => !isSidecar(init)).length
  return originMs + script.startDelayMs + (inits === 0 ? 0 : inits * script.initDurationMs)
}

const initStatus = (init: Container, scene: Scene) => {
  const { originMs, pod, script, stage } = scene
  const all = pod.spec.initContainers ?? []
  const index = all.filter((other) => !isSidecar(other)).indexOf(init)
  const down = { ...identity(init), ready: false, started: false, restartCount: 0 }
  const createdMs = originMs + script.startDelayMs
  if (stage._tag === "Waiting") return { ...down, state: { waiting: { reason: "PodInitializing" } } }
  if (isSidecar(init)) {
    if (stage._tag === "Over") return { ...down, state: terminated(stage.run, 0, "Completed") }
    return up(init, createdMs, true)
  }
  const run = {
    fromMs: createdMs + (index === 0 ? 0 : index * script.initDurationMs),
    toMs: createdMs + (index + 1) * script.initDurationMs
  }
  if (stage._tag === "Initializing" && index >= stage.index) {
    return index === stage.index
      ? { ...down, started: true, state: runningSince(stage.sinceMs) }
      : { ...down, state: { waiting: { reason: "PodInitializing" } } }
  }
  return { ...down, ready: true, state: terminated(run, 0, "Completed") }
}

/** Formats milliseconds like Go: `5m0s`. */
const backOffText = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

const waitingFor = (reason: string, { image = "" }: Container) => {
  switch (reason) {
    case "ImagePullBackOff":
      return { reason, message: `Back-off pulling image "${image}"` }
    case "ErrImagePull":
      return { reason, message: `failed to pull and unpack image "${image}": not found` }
    case "InvalidImageName":
      return { reason, message: `couldn't parse image name "${image}": invalid reference format` }
    default:
      return { reason }
  }
}
