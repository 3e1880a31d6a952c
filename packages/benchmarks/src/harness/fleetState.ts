/**
 * The contents of a fleet's clusters, read through their API, and the difference to an earlier state.
 *
 * Shares no code with the reset of clusters.
 */
import type { ClusterApi, Fleet, KubeObject } from "@quarterdeck/harness"
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"

/** Kinds that a test writes, and that a ready cluster does not write by itself. */
const KINDS = [
  ["v1", "Namespace"],
  ["v1", "ConfigMap"],
  ["v1", "Secret"],
  ["v1", "Service"],
  ["v1", "ServiceAccount"],
  ["v1", "Pod"],
  ["v1", "PersistentVolumeClaim"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["batch/v1", "Job"],
  ["rbac.authorization.k8s.io/v1", "Role"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"]
] as const

/** Objects by cluster, kind, namespace and name, without uid, versions and timestamps. */
export type FleetState = ReadonlyMap<string, unknown>

/** Reads the objects of all clusters. */
export const read = Effect.fnUntraced(function* ({ clusters }: Pick<Fleet["Service"], "clusters">) {
  const states = yield* Effect.forEach(clusters, ({ api }) => stateOf(api), { concurrency: "unbounded" })
  const objects: FleetState = new Map(states.flat())
  return objects
})

const stateOf = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi) {
  const lists = yield* Effect.forEach(KINDS, ([apiVersion, kind]) => api.list({ apiVersion, kind }), {
    concurrency: 4
  })
  return lists.flatMap(({ items }) =>
    items.map((object) => {
      const { kind, metadata } = object
      return [[api.cluster, kind, metadata.namespace ?? "", metadata.name ?? ""].join("/"), settled(object)] as const
    })
  )
})

const settled = ({ metadata, ...object }: KubeObject.KubeObject): unknown => {
  const { creationTimestamp: _, managedFields: __, resourceVersion: ___, uid: ____, ...rest } = metadata
  return { ...object, metadata: rest }
}

/** Counts the objects that are missing, new or changed. */
export const differing = (before: FleetState, after: FleetState): number => {
  const gone = [...before].filter(([id, object]) => !isDeepStrictEqual(after.get(id), object)).length
  return gone + [...after.keys()].filter((id) => !before.has(id)).length
}
