/**
 * Maintains the EndpointSlices of each Service with a selector.
 *
 * **Limits** IPv4 only; at most 100 endpoints per slice, and any number of slices.
 *
 * **Source** Kubernetes, `pkg/controller/endpointslice`; KEP-752.
 */
import { arrayAt, at, equals, type Json, type JsonObject, objectAt, textAt, textsAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import { oncePer } from "../core/OncePer.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { change, controllerReference, create, remove } from "./ControllerWrites.ts"
import { objectOf, podOf } from "./Views.ts"

const SERVICE = "kubernetes.io/service-name"
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
const OURS = "endpointslice-controller.k8s.io"
const SLICE_SIZE = 100

const selectorOf = (service: Stored): LabelSelector.LabelSelector =>
  LabelSelector.fromObject({ matchLabels: textsAt(objectOf(service), "spec", "selector") })

export const endpointSlices: Controller = {
  name: "endpointslice",
  watches: [
    { resource: Resources.services, keys: ownKey },
    {
      resource: Resources.pods,
      keys: ({ after, before }, { kernel }) => {
        const stored = after ?? before
        if (stored === undefined) return []
        return kernel.store
          .list(Resources.services, stored.namespace)
          .filter((service) => {
            const selector = selectorOf(service)
            const selects = (pod: Stored | undefined) =>
              pod !== undefined && LabelSelector.matches(selector, pod.labels)
            return selector.length > 0 && (selects(after) || selects(before))
          })
          .map(({ key }) => key)
      }
    },
    {
      resource: Resources.endpointSlices,
      keys: ({ after, before }) => {
        const stored = after ?? before
        const service = stored?.labels[SERVICE] ?? ""
        return stored === undefined || service === "" ? [] : [`${stored.namespace}/${service}`]
      }
    }
  ],
  reconcile: (turn, key) => {
    const service = existing(turn, Resources.services, key)
    if (service === undefined || at(objectOf(service), "metadata", "deletionTimestamp") !== undefined) return
    const selector = selectorOf(service)
    if (selector.length === 0 || textAt(objectOf(service), "spec", "type") === "ExternalName") return
    write(turn, service, selector)
  }
}

const write = (turn: Turn, service: Stored, selector: LabelSelector.LabelSelector): void => {
  const { store } = turn.kernel
  const pods = store
    .list(Resources.pods, service.namespace)
    .filter((pod) => LabelSelector.matches(selector, pod.labels))
  const endpoints = pods.flatMap((pod) => endpointOf(objectOf(service), pod))
  const parts: Array<ReadonlyArray<Json>> = []
  for (let from = 0; from < Math.max(1, endpoints.length); from += SLICE_SIZE)
    parts.push(endpoints.slice(from, from + SLICE_SIZE))
  const known = store
    .list(Resources.endpointSlices, service.namespace)
    .filter(({ labels }) => labels[SERVICE] === service.name && labels[MANAGED_BY] === OURS)
  const ports = portsOf(objectOf(service), pods[0])
  for (const [index, part] of parts.entries()) {
    const slice = known[index]
    if (slice === undefined) {
      const headless = textAt(objectOf(service), "spec", "clusterIP") === "None"
      create(turn, Resources.endpointSlices, service.namespace, {
        metadata: {
          generateName: `${service.name}-`,
          labels: {
            ...objectAt(objectOf(service), "metadata", "labels"),
            [MANAGED_BY]: OURS,
            [SERVICE]: service.name,
            ...(headless ? { "service.kubernetes.io/headless": "" } : {})
          },
          ownerReferences: [controllerReference(Resources.services, service)]
        },
        addressType: "IPv4",
        endpoints: part,
        ports
      })
    } else if (!equals(objectOf(slice)["endpoints"], part) || !equals(objectOf(slice)["ports"], ports)) {
      change(turn, Resources.endpointSlices, slice, (object) => ({ ...object, endpoints: part, ports }))
    }
  }
  for (const slice of known.slice(parts.length)) remove(turn, Resources.endpointSlices, slice)
}

/** Endpoint of a pod; empty if the pod has no address or has finished. */
const endpointOf = (service: JsonObject, stored: Stored): ReadonlyArray<JsonObject> => {
  const known = toEndpoint(stored)
  if (known === null) return []
  return at(service, "spec", "publishNotReadyAddresses") === true
    ? [{ ...known, conditions: { ...objectAt(known, "conditions"), ready: true } }]
    : [known]
}

const toEndpoint = oncePer((stored: Stored): JsonObject | null => {
  const { ending, node, phase, ready } = podOf(stored)
  const address = stored.fields["status.podIP"] ?? ""
  if (address === "" || phase === "Succeeded" || phase === "Failed") return null
  const object = read(stored)
  const hostname = textAt(object, "spec", "hostname")
  return {
    addresses: [address],
    conditions: { ready: ready && !ending, serving: ready, terminating: ending },
    ...(hostname === "" || textAt(object, "spec", "subdomain") === "" ? {} : { hostname }),
    targetRef: { kind: "Pod", namespace: stored.namespace, name: stored.name, uid: stored.uid },
    ...(node === "" ? {} : { nodeName: node })
  }
})

/**
 * Ports of a Service with the pods' port numbers. **Shape** named ports are resolved by the first pod, because the
 * pods of a Service agree on them.
 */
const portsOf = (service: JsonObject, pod: Stored | undefined): ReadonlyArray<JsonObject> => {
  const known =
    pod === undefined ? [] : arrayAt(read(pod), "spec", "containers").flatMap((one) => arrayAt(one, "ports"))
  return arrayAt(service, "spec", "ports").flatMap((port) => {
    const target = at(port, "targetPort")
    const number =
      typeof target === "string"
        ? at(
            known.find((one) => textAt(one, "name") === target),
            "containerPort"
          )
        : target === 0
          ? at(port, "port")
          : target
    return number === undefined
      ? []
      : [{ name: textAt(port, "name"), protocol: textAt(port, "protocol") || "TCP", port: number }]
  })
}
