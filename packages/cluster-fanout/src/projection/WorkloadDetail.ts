/**
 * Details of one workload beyond its row: rollout, conditions and containers, without any field that may contain a
 * secret.
 *
 * Environment, commands and volumes are never read here. The revision is the only annotation that is read.
 */
import { mask } from "../kube/Masking.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { count, type Fields, fields, list, text } from "./Field.ts"
import * as PodResources from "./PodResources.ts"
import type { WorkloadDetail, WorkloadRow } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"
import * as SelectorText from "./SelectorText.ts"

type Rollout = WorkloadDetail["rollout"]
type Container = WorkloadDetail["containers"][number]

/** Restart counts of a workload's containers, by name. */
export type Restarts = ReadonlyMap<string, number>

/** Adds the detail of a built-in kind to its row, from its object. */
export const ofObject = (row: WorkloadRow, object: KubeObject, restarts: Restarts): WorkloadDetail => ({
  ...row,
  resourceVersion: object.metadata.resourceVersion,
  selector: selectorOf(object),
  conditions: conditionsOf(object),
  rollout: rolloutOf(row.kind, object),
  containers: containersOf(podSpecOf(row.kind, object), restarts)
})

/** Adds the details of a custom kind to its row, from the specs of its pods, newest first. */
export const ofPods = (row: WorkloadRow, specs: ReadonlyArray<unknown>, restarts: Restarts): WorkloadDetail => {
  const found = new Map<string, Container>()
  for (const spec of specs) {
    for (const container of containersOf(fields(spec), restarts)) {
      if (!found.has(container.name)) found.set(container.name, container)
    }
  }
  return {
    ...row,
    resourceVersion: null,
    selector: null,
    conditions: [],
    rollout: { revision: null, isPaused: false, strategy: null },
    containers: [...found.values()]
  }
}

/** Adds the restarts of a pod's containers to those of its workload. */
export const addRestarts = (restarts: Map<string, number>, { status }: KubeObject): void => {
  for (const field of ["containerStatuses", "initContainerStatuses"]) {
    for (const entry of list(fields(status)[field])) {
      const { name, restartCount } = fields(entry)
      if (typeof name === "string") restarts.set(name, (restarts.get(name) ?? 0) + (count(restartCount) ?? 0))
    }
  }
}

/** The longest `labelSelector` that a query accepts. Longer selectors are omitted. */
const LONGEST_SELECTOR = 4_096

const selectorOf = ({ spec }: KubeObject): string | null => {
  const selector = SelectorText.of(fields(spec)["selector"]) ?? null
  return selector !== null && selector.length > LONGEST_SELECTOR ? null : selector
}

const podSpecOf = (kind: string, { spec }: KubeObject): Fields => {
  if (kind === "Pod") return fields(spec)
  const owner = kind === "CronJob" ? fields(fields(fields(spec)["jobTemplate"])["spec"]) : fields(spec)
  return fields(fields(owner["template"])["spec"])
}

const conditionsOf = ({ status }: KubeObject): WorkloadDetail["conditions"] =>
  list(fields(status)["conditions"]).flatMap((entry) => {
    const condition = fields(entry)
    const type = text(condition["type"])
    if (type === undefined) return []
    const reason = RowLimit.word(text(condition["reason"]) ?? "")
    const message = mask(text(condition["message"]) ?? "")
    const changedAt = RowLimit.word(text(condition["lastTransitionTime"]) ?? "")
    return [
      {
        type: RowLimit.word(type),
        status: RowLimit.word(text(condition["status"]) ?? "Unknown"),
        ...(reason === "" ? {} : { reason }),
        ...(message === "" ? {} : { message }),
        ...(changedAt === "" ? {} : { lastTransitionAt: changedAt })
      }
    ]
  })

/**
 * Annotation with a Deployment's revision. A StatefulSet reports its revision in the status.
 *
 * **Source** kubectl `rollout history`.
 */
const REVISION = "deployment.kubernetes.io/revision"

const rolloutOf = (kind: string, { metadata, spec, status }: KubeObject): Rollout => {
  const specification = fields(spec)
  const isPaused = specification["paused"] === true || specification["suspend"] === true
  const strategy = fields(specification[kind === "Deployment" ? "strategy" : "updateStrategy"])
  const deadline = kind === "Deployment" ? count(specification["progressDeadlineSeconds"]) : undefined
  const revision = kind === "Deployment" ? metadata.annotations?.[REVISION] : text(fields(status)["updateRevision"])
  const type = text(strategy["type"])
  return {
    revision: revision === undefined ? null : RowLimit.word(revision),
    isPaused,
    strategy: type === undefined ? null : RowLimit.word(type),
    ...(deadline === undefined ? {} : { progressDeadlineSeconds: deadline })
  }
}

/** Returns the main containers and sidecars, as kubectl counts READY. */
const containersOf = (spec: Fields, restarts: Restarts): ReadonlyArray<Container> => {
  const sidecars = list(spec["initContainers"]).filter((entry) => fields(entry)["restartPolicy"] === "Always")
  return [...list(spec["containers"]), ...sidecars].map((entry) => containerOf(fields(entry), restarts))
}

const containerOf = (container: Fields, restarts: Restarts): Container => {
  const name = RowLimit.word(text(container["name"]) ?? "")
  return {
    name,
    image: RowLimit.images([text(container["image"]) ?? ""]).join(""),
    ...PodResources.fromPodSpec({ containers: [container] }),
    ports: list(container["ports"]).flatMap((entry) => {
      const port = fields(entry)
      const portName = RowLimit.word(text(port["name"]) ?? "")
      const number = count(port["containerPort"])
      if (number === undefined) return []
      return [
        {
          ...(portName === "" ? {} : { name: portName }),
          port: number,
          protocol: RowLimit.word(text(port["protocol"]) ?? "TCP")
        }
      ]
    }),
    restarts: restarts.get(name) ?? 0
  }
}
