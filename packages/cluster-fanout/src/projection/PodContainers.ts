/**
 * Projects the containers of pods: their resources on the node and their runs.
 *
 * Replicas share one object for equal containers. Each pod itself holds only a short list of numbers.
 */
import { allocatedSpec } from "./AllocatedResources.ts"
import type { ContainerRole, ContainerTemplate } from "./ContainerTemplate.ts"
import { type Fields, fields, list, text } from "./Field.ts"
import type { Interner } from "./Interner.ts"
import type { Place } from "./Place.ts"
import * as PodShares from "./PodShares.ts"
import * as PodResources from "./PodResources.ts"

export type { ContainerRole, ContainerTemplate } from "./ContainerTemplate.ts"

/**
 * One run of a container.
 *
 * **Shape** `container` is the index in the pod's `containers`; `finishedAtMs` is `undefined` while the container runs.
 *
 * **Units** milliseconds since the epoch.
 */
export interface ContainerRun {
  readonly container: number
  readonly startedAtMs: number
  readonly finishedAtMs: number | undefined
  readonly isOomKilled: boolean
}

/**
 * The containers of a pod, their runs, and the volume claims that the pod mounts, including those of ephemeral volumes.
 *
 * **Shape** equal `containers` are the same object. Decode `containerRuns` with {@link runsOf}.
 */
export interface PodContainers {
  readonly containers: ReadonlyArray<ContainerTemplate>
  readonly containerRuns: ReadonlyArray<number>
  readonly claims: ReadonlyArray<string>
}

/** Numbers per run: container, start, end (0 while it runs), and 1 if it was killed for lack of memory, otherwise 0. */
const RUN_SIZE = 4
const NO_RUNS: ReadonlyArray<number> = []
const NO_CLAIMS: ReadonlyArray<string> = []

/**
 * Reads the containers of a pod from its spec and status.
 *
 * **Shape** requests are those that the kubelet has allocated, if it reports them. Includes the current and the
 * previous run of each container, as reported by the kubelet. A state without a start time is not a run.
 */
export const fromPod = (name: string, spec: Fields, status: Fields, place: Place): PodContainers => {
  const containers = templateOf(allocatedSpec(spec, status), place)
  return { containers, containerRuns: runs(containers, status), claims: claimsOf(name, spec, place.interner) }
}

/** Decodes the runs of a pod's containers. */
export const runsOf = ({ containerRuns }: Pick<PodContainers, "containerRuns">): ReadonlyArray<ContainerRun> =>
  Array.from({ length: containerRuns.length / RUN_SIZE }, (_, index): ContainerRun => {
    const [container = 0, startedAtMs = 0, finishedAtMs = 0, killed = 0] = containerRuns.slice(
      index * RUN_SIZE,
      (index + 1) * RUN_SIZE
    )
    return {
      container,
      startedAtMs,
      finishedAtMs: finishedAtMs === 0 ? undefined : finishedAtMs,
      isOomKilled: killed === 1
    }
  })

const templateOf = (spec: Fields, place: Place): ReadonlyArray<ContainerTemplate> => {
  const beyond = PodResources.beyondContainers(spec)
  const found: Array<ContainerTemplate> = []
  for (const entry of list(spec["containers"])) found.push(container(fields(entry), "main", place))
  for (const entry of list(spec["initContainers"])) {
    const initContainer = fields(entry)
    found.push(container(initContainer, initContainer["restartPolicy"] === "Always" ? "sidecar" : "init", place))
  }
  const template = beyond === undefined ? found : PodShares.share(found, beyond)
  const key = template
    .map(
      ({ cpuRequestMillis, gpuParts, gpus, memoryRequestBytes, name, role }) =>
        `${name} ${role} ${cpuRequestMillis} ${memoryRequestBytes} ${gpus} ${JSON.stringify(gpuParts)}`
    )
    .join("\n")
  return place.interner.containers(key, () => template)
}

const container = (entry: Fields, role: ContainerRole, { accelerators, interner }: Place): ContainerTemplate => {
  const resources = fields(entry["resources"])
  const amounts = { ...fields(resources["limits"]), ...fields(resources["requests"]) }
  const gpuParts = PodResources.gpuParts(amounts, accelerators)
  return {
    name: interner.text(text(entry["name"]) ?? ""),
    role,
    ...PodResources.ofContainer(resources),
    gpus: PodResources.gpus(amounts),
    ...(gpuParts === undefined ? {} : { gpuParts })
  }
}

const runs = (containers: ReadonlyArray<ContainerTemplate>, status: Fields): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (const field of ["containerStatuses", "initContainerStatuses"]) {
    for (const entry of list(status[field])) {
      const state = fields(entry)
      const name = text(state["name"])
      const place = containers.findIndex((template) => template.name === name)
      if (place < 0) continue
      for (const when of ["lastState", "state"]) {
        const { running, terminated } = fields(state[when])
        const run = fields(running ?? terminated)
        const startedAtMs = instant(run["startedAt"])
        const finishedAtMs = running === undefined ? instant(run["finishedAt"]) : 0
        if (startedAtMs === 0 || (running === undefined && finishedAtMs === 0)) continue
        found.push(place, startedAtMs, finishedAtMs, run["reason"] === "OOMKilled" ? 1 : 0)
      }
    }
  }
  return found.length === 0 ? NO_RUNS : found.slice()
}

/** Parses an instant. Returns 0 for a missing one and for Go's zero time, which kubelets write for unknown times. */
const instant = (value: unknown): number => {
  const ms = typeof value === "string" ? Date.parse(value) : 0
  return ms > 0 ? ms : 0
}

const claimsOf = (name: string, spec: Fields, interner: Interner): ReadonlyArray<string> => {
  let found: Array<string> | undefined
  for (const entry of list(spec["volumes"])) {
    const volume = fields(entry)
    const claim =
      volume["ephemeral"] === undefined
        ? text(fields(volume["persistentVolumeClaim"])["claimName"])
        : `${name}-${text(volume["name"]) ?? ""}`
    if (claim !== undefined && found?.includes(claim) !== true) (found ??= []).push(interner.text(claim))
  }
  return found ?? NO_CLAIMS
}
