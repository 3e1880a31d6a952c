/**
 * Projects the containers of pods: the resources that each has of its node, and when each ran.
 *
 * What replicas have alike is one object for all of them; what is a pod's own is a short list of numbers.
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
 * **Shape** `container` is its place in the pod's `containers`; `finishedAtMs` is `undefined` while it runs.
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
 * The containers of a pod, their runs, and the names of the claims that it mounts, those of its ephemeral volumes too.
 * `containers` is the same object for equal ones; `containerRuns` is read by {@link runsOf}.
 */
export interface PodContainers {
  readonly containers: ReadonlyArray<ContainerTemplate>
  readonly containerRuns: ReadonlyArray<number>
  readonly claims: ReadonlyArray<string>
}

/** Numbers a run takes: the container, its start, its end (0 while it runs), and 1 if it was killed for memory. */
const RUN_SIZE = 4
const NO_RUNS: ReadonlyArray<number> = []
const NO_CLAIMS: ReadonlyArray<string> = []

/**
 * Reads the containers of a pod from its spec and status.
 *
 * **Shape** requests are those that the kubelet has allocated, where it reports them. Of each container the present run and the one before, as the kubelet tells them; a state without a start is
 * none.
 */
export const fromPod = (name: string, spec: Fields, status: Fields, place: Place): PodContainers => {
  const containers = templateOf(allocatedSpec(spec, status), place)
  return { containers, containerRuns: runs(containers, status), claims: claimsOf(name, spec, place.interner) }
}

/** Gives the runs of a pod's containers that its status tells of. */
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
    const one = fields(entry)
    found.push(container(one, one["restartPolicy"] === "Always" ? "sidecar" : "init", place))
  }
  const template = beyond === undefined ? found : PodShares.share(found, beyond)
  const key = template
    .map(
      (one) =>
        `${one.name} ${one.role} ${one.cpuRequestMillis} ${one.memoryRequestBytes} ${one.gpus} ${JSON.stringify(one.gpuParts)}`
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
      const place = containers.findIndex((one) => one.name === name)
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

/** 0 where there is none; the zero time of Go, which kubelets write for what they do not know, is none either. */
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
