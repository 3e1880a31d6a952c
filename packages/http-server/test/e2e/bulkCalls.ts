/** Many workloads changed by one call: what the suites of it share. */
import { assert } from "@effect/vitest"
import { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import type { Fleet } from "@quarterdeck/harness"
import { Effect, Option, Schema } from "effect"
import { at, type MadeKind, prepare, workloadOf } from "./actedOn.ts"
import { type Call, Deployment } from "./Deployment.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(BulkActionResult), { onExcessProperty: "error" })
const PATH = "/api/v1/workloads/actions"

export const ask = (body: unknown, call: Call = {}) =>
  Effect.flatMap(Deployment, (deployment) => deployment.call(PATH, { method: "POST", key: "operator", body, ...call }))

export const bulk = Effect.fnUntraced(function* (body: unknown, call: Call = {}) {
  const reply = yield* ask(body, call)
  assert.strictEqual(reply.status, 200, reply.text)
  return yield* decode(reply.text)
})

export const refused = (body: unknown, call: Call = {}) =>
  Effect.flatMap(Deployment, (deployment) =>
    deployment.problem(PATH, { method: "POST", key: "operator", body, ...call })
  )

export const clusterOf = (name: string) => Effect.flatMap(Deployment, ({ fleet }) => fleet.cluster(name))

/** Makes a Deployment, or another kind, and gives what names it. */
export const make = Effect.fnUntraced(function* (
  cluster: string,
  name: string,
  {
    kind = "Deployment",
    labels = {},
    namespace = "shop"
  }: { kind?: MadeKind; labels?: Record<string, string>; namespace?: string } = {}
) {
  const { api } = yield* clusterOf(cluster)
  yield* api.create(workloadOf(kind, name, namespace, labels))
  return { cluster, namespace, kind, name }
})

export const objectOf = Effect.fnUntraced(function* ({
  cluster,
  name,
  namespace
}: Effect.Success<ReturnType<typeof make>>) {
  const { api } = yield* clusterOf(cluster)
  return yield* api.get({ apiVersion: "apps/v1", kind: "Deployment", name, namespace })
})
export const versionOf = (object: unknown) => at(object, "metadata", "resourceVersion")
export const replicasOf = (object: unknown) => at(object, "spec", "replicas")
export const restartedAtOf = (object: unknown) =>
  at(object, "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")

export const once = (key: string): Call => ({ headers: [["Idempotency-Key", key]] })

export const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, prepare, { discard: true })

/** What of Deployments has come through to the clusters. */
export const sent = Effect.gen(function* () {
  let sum = 0
  for (const { faults } of (yield* Deployment).fleet.clusters) {
    const { requests } = yield* Option.getOrThrow(faults).counters
    for (const [what, count] of requests) if (/^(?:get|patch|update) deployments/.test(what)) sum += count
  }
  return sum
})
