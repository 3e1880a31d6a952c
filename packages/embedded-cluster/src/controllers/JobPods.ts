/**
 * Pods of a job: counting the finished ones and creating the missing ones.
 *
 * **Source** Kubernetes, `pkg/controller/job`; KEP-2307 for the finalizer that keeps a finished pod until it is
 * counted.
 */
import { arrayAt, at, isObject, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import type { Turn } from "./Controller.ts"
import { controllerReference, create } from "./ControllerWrites.ts"
import { nameStem, podFrom } from "./Templates.ts"
import { isActive, objectOf, type Pod } from "./Views.ts"

export const TRACKED = "batch.kubernetes.io/job-tracking"
const INDEX = "batch.kubernetes.io/job-completion-index"

/** Counts of a job's pods. **Shape** `finished` has the pods that were counted for the first time. */
export interface Counted {
  readonly succeeded: number
  readonly failed: number
  readonly indexes: ReadonlySet<number>
  readonly finished: ReadonlyArray<Pod>
}

const isIndexed = (job: JsonObject): boolean => textAt(job, "spec", "completionMode") === "Indexed"

/**
 * Counts the finished pods that were not counted before. **Shape** pods that a suspension deleted do not count as
 * failed.
 */
export const count = (job: JsonObject, pods: ReadonlyArray<Pod>): Counted => {
  const finished = pods.filter((pod) => pod.finalizers.includes(TRACKED) && !isActive(pod))
  const succeeded = finished.filter(({ phase }) => phase === "Succeeded")
  const isSuspended = at(job, "spec", "suspend") === true
  const failures = finished.filter(({ phase }) => phase === "Failed" || (phase !== "Succeeded" && !isSuspended))
  const indexes = new Set([
    ...fromRanges(textAt(job, "status", "completedIndexes")),
    ...(isIndexed(job) ? succeeded.flatMap((pod) => indexOf(pod) ?? []) : [])
  ])
  const failed = (numberAt(job, "status", "failed") ?? 0) + failures.length
  return {
    succeeded: isIndexed(job) ? indexes.size : (numberAt(job, "status", "succeeded") ?? 0) + succeeded.length,
    failed,
    indexes,
    finished
  }
}

const indexOf = (pod: Pod): number | undefined => {
  const text = pod.stored.labels[INDEX] ?? ""
  return text === "" ? undefined : Number(text)
}

/** Returns whether a job is complete. Without `completions`, one pod must have succeeded and none may be active. */
export const isComplete = (job: JsonObject, { succeeded }: Counted, active: number): boolean => {
  const completions = numberAt(job, "spec", "completions")
  return completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions
}

/** Creates the missing pods while there is time. Returns how many it created. */
export const fill = (turn: Turn, stored: Stored, counted: Counted, active: ReadonlyArray<Pod>): number => {
  const job = objectOf(stored)
  const parallelism = numberAt(job, "spec", "parallelism") ?? 1
  const completions = numberAt(job, "spec", "completions")
  const open = completions === undefined ? (counted.succeeded > 0 ? 0 : parallelism) : completions - counted.succeeded
  const missing = Math.min(parallelism, open) - active.length
  const taken = new Set([...counted.indexes, ...active.flatMap((pod) => indexOf(pod) ?? [])])
  let made = 0
  for (let index = 0; made < missing; index++) {
    if (isIndexed(job) && taken.has(index)) continue
    if (!create(turn, Resources.pods, stored.namespace, podOf(job, stored, isIndexed(job) ? index : undefined)))
      return made
    made += 1
    if (!turn.hasTime()) {
      turn.again()
      return made
    }
  }
  return made
}

const podOf = (job: JsonObject, stored: Stored, index: number | undefined): JsonObject => {
  const template = objectAt(job, "spec", "template")
  const owner = controllerReference(Resources.jobs, stored)
  if (index === undefined)
    return podFrom(template, { generateName: nameStem(stored.name), finalizers: [TRACKED], owner })
  const marks = { [INDEX]: String(index) }
  const spec = objectAt(template, "spec")
  const variable: JsonObject = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } }
  }
  const withIndex = (name: "containers" | "initContainers") =>
    spec[name] === undefined
      ? {}
      : {
          [name]: arrayAt(spec, name).map((container) =>
            isObject(container) ? put(container, ["env"], [...arrayAt(container, "env"), variable]) : container
          )
        }
  return podFrom(
    {
      ...template,
      spec: { ...spec, ...withIndex("initContainers"), ...withIndex("containers"), hostname: `${stored.name}-${index}` }
    },
    {
      generateName: nameStem(`${stored.name}-${index}`),
      labels: marks,
      annotations: marks,
      finalizers: [TRACKED],
      owner
    }
  )
}

/** Completed indexes as ranges. Returns `undefined` for a job without indexes. */
export const completedIndexes = (job: JsonObject, { indexes }: Counted): string | undefined =>
  isIndexed(job) ? toRanges([...indexes].toSorted((left, right) => left - right)) : undefined

/** Prints ascending numbers as `0-2,5`. */
export const toRanges = (numbers: ReadonlyArray<number>): string => {
  const ranges: Array<readonly [number, number]> = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === number) ranges[ranges.length - 1] = [last[0], number]
    else ranges.push([number, number])
  }
  return ranges
    .map(([from, to]) => (from === to ? String(from) : to === from + 1 ? `${from},${to}` : `${from}-${to}`))
    .join(",")
}

/** Parses the format of {@link toRanges}. */
export const fromRanges = (text: string): ReadonlyArray<number> =>
  text
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [from = 0, to = from] = part.split("-").map(Number)
      return Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    })
