/**
 * The pods of a job: which have been counted, how many are missing, and which index a new one gets.
 *
 * **Source** Kubernetes, `pkg/controller/job`; KEP-2307 for the finalizer that keeps a finished pod until it is counted.
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

/** What has come of a job's pods. **Shape** `finished` are those that have just been counted. */
export interface Counted {
  readonly succeeded: number
  readonly failed: number
  readonly indexes: ReadonlySet<number>
  readonly finished: ReadonlyArray<Pod>
}

const isIndexed = (job: JsonObject): boolean => textAt(job, "spec", "completionMode") === "Indexed"

/** Counts the pods that have finished and have not been counted before. **Shape** those of a suspension have not failed. */
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

/** A job without a number of completions is complete once one pod has succeeded and none runs any more. */
export const isComplete = (job: JsonObject, { succeeded }: Counted, active: number): boolean => {
  const completions = numberAt(job, "spec", "completions")
  return completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions
}

/** Makes the pods that are missing, as far as this turn's time goes; gives how many. */
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
  const knowing = (name: "containers" | "initContainers") =>
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
      spec: { ...spec, ...knowing("initContainers"), ...knowing("containers"), hostname: `${stored.name}-${index}` }
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

/** The indexes that are complete, as ranges; `undefined` for a job without indexes. */
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

/** Reads what {@link toRanges} prints. */
export const fromRanges = (text: string): ReadonlyArray<number> =>
  text
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [from = 0, to = from] = part.split("-").map(Number)
      return Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    })
