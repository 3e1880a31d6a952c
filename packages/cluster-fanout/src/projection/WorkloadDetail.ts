/**
 * What is told of one workload beyond its row: its rollout, conditions and containers, and nothing that may hold a secret.
 *
 * Annotations, environment, commands and volumes are never read here.
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

/** How often containers of a workload's pods were restarted, by name. */
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

/** Adds what is known of a custom kind, from the specs of its pods, the newest first. */
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

/** Counts the restarts of a pod's containers towards those of its workload. */
export const addRestarts = (restarts: Map<string, number>, { status }: KubeObject): void => {
  for (const field of ["containerStatuses", "initContainerStatuses"]) {
    for (const entry of list(fields(status)[field])) {
      const { name, restartCount } = fields(entry)
      if (typeof name === "string") restarts.set(name, (restarts.get(name) ?? 0) + (count(restartCount) ?? 0))
    }
  }
}

/** The longest `labelSelector` that a query takes. A longer selector is not shown. */
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
 * The annotation that tells a Deployment's revision; a StatefulSet tells it by its status.
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

/** Those that run as long as the pod does: its main containers and sidecars, as kubectl counts READY. */
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
