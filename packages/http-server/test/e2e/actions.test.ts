/** What an Operator's actions do to workloads, as the cluster itself says it. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { act, at, make, type MadeKind, objectOf, prepare, refusedAct, versionOf } from "./actedOn.ts"
import { Deployment, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
const restartedAt = (object: unknown) => at(object, "spec", "template", "metadata", "annotations", RESTARTED_AT)

onBothKinds(
  "actions",
  { children: ["prod"], prepare: (fleet) => Effect.flatMap(fleet.cluster("prod"), prepare) },
  (it) => {
    it.effect.each<MadeKind>(["Deployment", "StatefulSet", "ReplicaSet"])("scale a %s", (kind) =>
      Effect.gen(function* () {
        const name = `scaled-${kind.toLowerCase()}`
        const path = yield* make(kind, name)
        const done = yield* act(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(done, {
          namespace: "shop",
          kind,
          name,
          status: "applied",
          before: { replicas: 1 },
          after: { replicas: 3 }
        })
        assert.strictEqual(at(yield* objectOf(kind, name), "spec", "replicas"), 3)
        const none = yield* act(`${path}/scale`, { replicas: 0 })
        assert.deepInclude(none, { before: { replicas: 3 }, after: { replicas: 0 } })
        assert.strictEqual(at(yield* objectOf(kind, name), "spec", "replicas") ?? 0, 0)
      })
    )

    it.effect("a scale is in the list that a reader sees", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        yield* act(`${yield* make("Deployment", "listed")}/scale`, { replicas: 2 })
        yield* eventually(
          "the list has the new number",
          deployment.workloads("?name=listed", { headers: to("prod") }),
          ({ workloads }) => workloads[0]?.replicas.desired === 2,
          { within: "10 seconds" }
        )
      })
    )

    it.effect.each<MadeKind>(["Deployment", "StatefulSet", "DaemonSet"])("restart a %s as kubectl does", (kind) =>
      Effect.gen(function* () {
        const name = `restarted-${kind.toLowerCase()}`
        const path = yield* make(kind, name)
        const first = yield* act(`${path}/restart`, {})
        assert.deepStrictEqual(first.before, {})
        assert.strictEqual(restartedAt(yield* objectOf(kind, name)), first.after.restartedAt)
        const second = yield* act(`${path}/restart`, {})
        assert.deepStrictEqual(second.before, first.after)
        assert.notStrictEqual(second.after.restartedAt, first.after.restartedAt)
      })
    )

    it.effect.each<[MadeKind, string]>([
      ["Deployment", "paused"],
      ["CronJob", "suspend"]
    ])("pause and resume a %s", ([kind, field]) =>
      Effect.gen(function* () {
        const name = `paused-${kind.toLowerCase()}`
        const path = yield* make(kind, name)
        const paused = yield* act(`${path}/pause`, {})
        assert.deepInclude(paused, { status: "applied", before: { isPaused: false }, after: { isPaused: true } })
        assert.strictEqual(at(yield* objectOf(kind, name), "spec", field), true)
        const again = yield* act(`${path}/pause`, {})
        assert.deepInclude(again, { before: { isPaused: true }, after: { isPaused: true } })
        const resumed = yield* act(`${path}/resume`, undefined)
        assert.deepInclude(resumed, { before: { isPaused: true }, after: { isPaused: false } })
        assert.notStrictEqual(at(yield* objectOf(kind, name), "spec", field), true)
      })
    )

    it.effect.each<[string, MadeKind, object]>([
      ["scale", "StatefulSet", { replicas: 4 }],
      ["restart", "StatefulSet", {}],
      ["pause", "CronJob", {}],
      ["resume", "CronJob", {}]
    ])("a dry run of %s tells what would be, and leaves the workload as it was", ([action, kind, body]) =>
      Effect.gen(function* () {
        const name = `tried-${action}`
        const path = yield* make(kind, name)
        // Its controllers have written what they write of it once nothing has changed between two looks.
        let last = ""
        const before = yield* eventually("it is at rest", objectOf(kind, name), (object) => {
          const isAtRest = versionOf(object) === last
          last = versionOf(object)
          return isAtRest
        })
        const tried = yield* act(`${path}/${action}`, { ...body, dryRun: true })
        assert.strictEqual(tried.status, "dryRun")
        if (action === "scale") assert.deepStrictEqual(tried.after, { replicas: 4 })
        if (action === "pause") assert.deepStrictEqual(tried.after, { isPaused: true })
        assert.strictEqual(tried.resourceVersion, versionOf(before))
        assert.deepStrictEqual(yield* objectOf(kind, name), before)
      })
    )

    it.effect("a version that is not the present one is 409, and the present one is changed", () =>
      Effect.gen(function* () {
        const path = `${yield* make("StatefulSet", "versioned")}/scale`
        const known = (yield* act(path, { replicas: 1, dryRun: true })).resourceVersion
        const changed = yield* act(path, { replicas: 2 })
        const stale = yield* refusedAct(path, { replicas: 5, resourceVersion: known })
        assert.deepInclude(stale, { status: 409, code: "workload_changed", field: "resourceVersion" })
        const tried = yield* refusedAct(path, { replicas: 5, resourceVersion: known, dryRun: true })
        assert.strictEqual(tried.code, "workload_changed")
        assert.strictEqual(at(yield* objectOf("StatefulSet", "versioned"), "spec", "replicas"), 2)
        assert.notStrictEqual(changed.resourceVersion, known)
        const present = versionOf(yield* objectOf("StatefulSet", "versioned"))
        const done = yield* act(path, { replicas: 5, resourceVersion: present })
        assert.deepInclude(done, { before: { replicas: 2 }, after: { replicas: 5 } })
      })
    )

    it.effect.each<[string, string, string, unknown, number, Code, string]>([
      ["a kind that cannot be scaled", "DaemonSet", "scale", { replicas: 1 }, 400, "action_unsupported", "kind"],
      ["a kind that cannot be restarted", "CronJob", "restart", {}, 400, "action_unsupported", "kind"],
      ["a kind that cannot be paused", "StatefulSet", "pause", {}, 400, "action_unsupported", "kind"],
      ["a kind that nobody knows", "Rollout", "resume", {}, 400, "action_unsupported", "kind"],
      ["a workload that is not there", "Deployment", "scale", { replicas: 1 }, 404, "workload_not_found", "name"],
      ["no replicas", "Deployment", "scale", {}, 400, "invalid_body", "replicas"],
      ["fewer replicas than none", "Deployment", "scale", { replicas: -1 }, 400, "invalid_body", "replicas"],
      ["more replicas than allowed", "Deployment", "scale", { replicas: 10_001 }, 400, "invalid_body", "replicas"],
      ["half a replica", "Deployment", "scale", { replicas: 1.5 }, 400, "invalid_body", "replicas"],
      ["a member that is not known", "Deployment", "restart", { replicas: 1 }, 400, "invalid_body", "replicas"],
      ["a dry run that is a word", "Deployment", "pause", { dryRun: "true" }, 400, "invalid_body", "dryRun"],
      ["a target in the body", "Deployment", "pause", { clusters: ["prod"] }, 400, "invalid_body", "clusters"]
    ])("refuse %s", ([, kind, action, body, status, code, field]) =>
      Effect.gen(function* () {
        const problem = yield* refusedAct(`/api/v1/workloads/prod/shop/${kind}/nobody/${action}`, body)
        assert.deepInclude(problem, { status, code, field })
      })
    )

    it.effect("the path alone names the cluster: a header that names anything else is 400", () =>
      Effect.gen(function* () {
        const path = `${yield* make("Deployment", "headed")}/scale`
        for (const header of ["prod", " prod ", "prod|prod"]) {
          const done = yield* act(path, { replicas: 1 }, { headers: to(header) })
          assert.strictEqual(done.cluster, "prod", header)
        }
        for (const header of ["hub", "*", "hub|prod", "nowhere", "a||b"]) {
          const problem = yield* refusedAct(path, { replicas: 2 }, { headers: to(header) })
          assert.deepInclude(problem, { status: 400, code: "invalid_target", field: "X-Service-Cluster" }, header)
        }
        assert.strictEqual(at(yield* objectOf("Deployment", "headed"), "spec", "replicas"), 1)
      })
    )
  }
)
