/** The API calls of a kubelet. Responses contain only metadata and are not decoded, to save work on both sides. */
import { Effect } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { ApiRequest } from "../../client/ApiTransport.ts"
import type { NodeView } from "./NodeView.ts"
import type { PodView } from "./PodView.ts"

const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
const MERGE = "application/merge-patch+json"
const STRATEGIC = "application/strategic-merge-patch+json"

/** The result of a call. A refusal is not an error: usually another client has changed the object. */
export type Outcome =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Refused"; readonly code: number; readonly text: string }
  | { readonly _tag: "Unreachable"; readonly error: ApiError }

export interface Calls {
  readonly podStatus: (pod: PodView, status: unknown) => Effect.Effect<Outcome>
  /** Removes a pod that is being deleted, after its containers have ended. */
  readonly removePod: (pod: PodView) => Effect.Effect<Outcome>
  readonly bind: (pod: PodView, node: string) => Effect.Effect<Outcome>
  /** Refused if the node has changed since it was read. */
  readonly nodeStatus: (node: NodeView, status: unknown) => Effect.Effect<Outcome>
  readonly nodeSpec: (node: string, spec: unknown) => Effect.Effect<Outcome>
  readonly renewLease: (namespace: string, node: string, renewTime: string) => Effect.Effect<Outcome>
}

export const make = (api: ClusterApi): Calls => {
  const send = (request: ApiRequest): Effect.Effect<Outcome> =>
    api.request({ accept: METADATA_ONLY, ...request }).pipe(
      Effect.map(({ status, text }): Outcome => (status < 400 ? DONE : { _tag: "Refused", code: status, text })),
      Effect.catch((error) => Effect.succeed<Outcome>({ _tag: "Unreachable", error }))
    )
  const patch = (path: string, body: unknown, contentType = STRATEGIC) =>
    send({ method: "PATCH", path, body, contentType })

  return {
    podStatus: (pod, status) =>
      // The uid prevents a report for a deleted pod from applying to a new pod of the same name.
      patch(`${podPath(pod)}/status`, { metadata: { uid: pod.metadata.uid }, status }),
    removePod: (pod) =>
      send({
        method: "DELETE",
        path: podPath(pod),
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          gracePeriodSeconds: 0,
          preconditions: { uid: pod.metadata.uid }
        }
      }),
    bind: (pod, node) =>
      send({
        method: "POST",
        path: `${podPath(pod)}/binding`,
        accept: "application/json",
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
          target: { apiVersion: "v1", kind: "Node", name: node }
        }
      }),
    nodeStatus: ({ metadata: { name, resourceVersion } }, status) =>
      patch(`${nodePath(name)}/status`, { metadata: { resourceVersion }, status }),
    // A merge patch replaces whole lists, which removes taints.
    nodeSpec: (node, spec) => patch(nodePath(node), { spec }, MERGE),
    renewLease: (namespace, node, renewTime) =>
      patch(
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${encodeURIComponent(node)}`,
        { spec: { renewTime } },
        MERGE
      )
  }
}

/**
 * Returns whether a call must be repeated. A call that was refused because the object has changed or is gone needs no
 * retry: the watch reports the change.
 */
export const isLost = (outcome: Outcome): boolean =>
  outcome._tag === "Unreachable" || (outcome._tag === "Refused" && outcome.code !== 404 && outcome.code !== 409)

export const DONE: Outcome = { _tag: "Done" }

const podPath = ({ metadata }: PodView): string =>
  `/api/v1/namespaces/${encodeURIComponent(metadata.namespace)}/pods/${encodeURIComponent(metadata.name)}`

const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`
