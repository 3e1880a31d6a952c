/** What the behaviours share: a namespace of their own, small objects, and the server's word of refusal. */
import type { Vitest } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { type ApiError, ApiRefused } from "../../src/client/ApiError.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"
import type { KubeObject } from "../../src/client/KubeObject.ts"

export type Suite = Vitest.MethodsNonLive<Fleet>

/** The cluster that behaviours share, and the one that they may take down. */
export const PARENT = "hub"
export const CHILD = "eu"
export const VIEWER = "viewer"

export const parent: Effect.Effect<FleetCluster, never, Fleet> = Effect.map(Fleet, (fleet) => fleet.parent)

/** Makes a namespace that no other test knows. */
export const freshNamespace = Effect.fnUntraced(function* (cluster: FleetCluster) {
  const name = `t-${randomBytes(5).toString("hex")}`
  yield* cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
  return name
})

export const configMap = (
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  data: Readonly<Record<string, string>> = { key: "value" }
): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
  data
})

export const configMaps = (namespace: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace })

export const configMapRef = (namespace: string, name: string) => ({ ...configMaps(namespace), name })

export const pod = (namespace: string, name: string, nodeName?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace },
  spec: { containers: [{ name: "main", image: "busybox:1" }], ...(nodeName === undefined ? {} : { nodeName }) }
})

export const deployment = (namespace: string, name: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: "main", image: "busybox:1" },
          { name: "side", image: "busybox:1" }
        ]
      }
    }
  }
})

export const deploymentRef = (namespace: string, name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace,
  name
})

/** How the server refused a call that must be refused. */
export const refusal = <A, R>(call: Effect.Effect<A, ApiError, R>): Effect.Effect<ApiRefused, ApiError, R> =>
  Effect.flip(call).pipe(
    Effect.catch(() => Effect.die(new Error("the server took a call that it must refuse"))),
    Effect.flatMap((error) => (error.reason instanceof ApiRefused ? Effect.succeed(error.reason) : Effect.fail(error)))
  )

/** The reason and the field of each cause that a refusal gives. */
export const causesOf = ({ status }: ApiRefused): ReadonlyArray<readonly [unknown, unknown]> => {
  const causes = at(status, "details", "causes")
  return Array.isArray(causes) ? causes.map((cause: unknown) => [at(cause, "reason"), at(cause, "field")]) : []
}

/** The status of a refused call; undefined while the server still takes it. */
export const refusedCode = <A, R>(
  call: Effect.Effect<A, ApiError, R>
): Effect.Effect<number | undefined, ApiError, R> =>
  call.pipe(
    Effect.as(undefined),
    Effect.catch((error) =>
      error.reason instanceof ApiRefused ? Effect.succeed(error.reason.code) : Effect.fail(error)
    )
  )

/** Gives what lies at a path of keys inside an object, undefined where it ends early. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((inside, key) => {
    if (Array.isArray(inside)) return inside[Number(key)]
    return typeof inside === "object" && inside !== null
      ? Object.entries(inside).find(([name]) => name === key)?.[1]
      : undefined
  }, value)

export const namesOf = (objects: ReadonlyArray<KubeObject>): ReadonlyArray<string> =>
  objects.map(({ metadata }) => metadata.name ?? "").toSorted()
