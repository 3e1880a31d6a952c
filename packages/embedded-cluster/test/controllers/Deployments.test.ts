import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, textAt } from "../../src/core/Json.ts"
import { type CallOptions, deployment, patching } from "../Client.ts"
import { APPS, cluster, condition, isAvailable, PODS } from "./Machine.ts"

const DEPLOYMENTS = `${APPS}/deployments`
const WEB = `${DEPLOYMENTS}/web`
const SETS = `${APPS}/replicasets`
const image = (name: string): CallOptions =>
  patching(
    { spec: { template: { spec: { containers: [{ name: "main", image: name }] } } } },
    "application/strategic-merge-patch+json"
  )
/** Patch to a template whose pods never become ready. */
const stuck = patching({ spec: { template: { metadata: { annotations: { "test/stays": "true" } } } } })

describe("deployments", () => {
  it.live("stay within maxUnavailable and maxSurge during a rollout", () =>
    Effect.gen(function* () {
      const { call, until, untilItems, watch } = yield* cluster()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web", 4) })
      yield* until("web is available", WEB, isAvailable(4))
      const list = yield* call("GET", DEPLOYMENTS)
      const version = textAt(list.json, "metadata", "resourceVersion")
      const events = yield* watch(`${DEPLOYMENTS}?watch=1&resourceVersion=${version}`)
      yield* call("PATCH", WEB, image("registry.example/app:2"))
      yield* until("web has rolled", WEB, isAvailable(4))
      yield* untilItems("old pods are gone", PODS, (pods) => pods.length === 4)
      yield* call("DELETE", WEB)
      for (;;) {
        const event = yield* events.next
        if (event === undefined || textAt(event, "type") === "DELETED") break
        // 25 % of four pods: one more, one less.
        assert.isAtLeast(Number(at(event, "object", "status", "availableReplicas")), 3)
        assert.isAtMost(Number(at(event, "object", "status", "replicas")), 5)
      }
    })
  )

  it.live("with strategy Recreate delete every old pod before they create a new one", () =>
    Effect.gen(function* () {
      const { call, items, until } = yield* cluster({ kubelet: false })
      const body = { ...deployment("web", 2) }
      const spec = Object.assign({}, body["spec"], { strategy: { type: "Recreate" } })
      yield* call("POST", DEPLOYMENTS, { body: { ...body, spec } })
      const first = yield* until(
        "two pods are bound",
        PODS,
        (list) => arrayAt(list, "items").filter((one) => textAt(one, "spec", "nodeName") !== "").length === 2
      )
      yield* call("PATCH", WEB, image("registry.example/app:2"))
      yield* until("both pods are marked for deletion", PODS, (list) =>
        arrayAt(list, "items").every((one) => at(one, "metadata", "deletionTimestamp") !== undefined)
      )
      assert.lengthOf(yield* items(SETS), 1)
      for (const one of arrayAt(first, "items"))
        yield* call("DELETE", `${PODS}/${textAt(one, "metadata", "name")}?gracePeriodSeconds=0`)
      const after = yield* until("two new pods stand", PODS, (list) => arrayAt(list, "items").length === 2)
      for (const one of arrayAt(after, "items"))
        assert.strictEqual(textAt(arrayAt(one, "spec", "containers")[0], "image"), "registry.example/app:2")
    })
  )

  it.live("scale but do not roll out while paused, and roll out when resumed", () =>
    Effect.gen(function* () {
      const { call, items, until } = yield* cluster()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web", 2) })
      yield* until("web is available", WEB, isAvailable(2))
      yield* call("PATCH", WEB, patching({ spec: { paused: true } }))
      yield* call("PATCH", WEB, image("registry.example/app:2"))
      yield* call("PATCH", WEB, patching({ spec: { replicas: 3 } }))
      const paused = yield* until("web has grown", WEB, (web) => at(web, "status", "availableReplicas") === 3)
      assert.strictEqual(condition(paused, "Progressing")["reason"], "DeploymentPaused")
      assert.lengthOf(yield* items(SETS), 1)
      yield* call("PATCH", WEB, patching({ spec: { paused: false } }))
      yield* until("web has rolled", WEB, isAvailable(3))
      assert.lengthOf(yield* items(SETS), 2)
    })
  )

  it.live("report an exceeded progress deadline, and continue when the template is fixed", () =>
    Effect.gen(function* () {
      const { call, until } = yield* cluster()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web", 2) })
      yield* until("web is available", WEB, isAvailable(2))
      yield* call("PATCH", WEB, patching({ spec: { progressDeadlineSeconds: 1 } }))
      yield* call("PATCH", WEB, stuck)
      const late = yield* until(
        "the deadline has passed",
        WEB,
        (web) => condition(web, "Progressing")["status"] === "False"
      )
      assert.strictEqual(condition(late, "Progressing")["reason"], "ProgressDeadlineExceeded")
      assert.strictEqual(condition(late, "Available")["status"], "True")
      yield* call("PATCH", WEB, patching({ spec: { template: { metadata: { annotations: null } } } }))
      const mended = yield* until("web is available", WEB, isAvailable(2))
      assert.strictEqual(condition(mended, "Progressing")["reason"], "NewReplicaSetAvailable")
    })
  )

  it.live("keep old ReplicaSets up to their history limit", () =>
    Effect.gen(function* () {
      const { call, until, untilItems } = yield* cluster()
      const body = deployment("web", 1)
      yield* call("POST", DEPLOYMENTS, {
        body: { ...body, spec: Object.assign({}, body["spec"], { revisionHistoryLimit: 1 }) }
      })
      for (const version of [1, 2, 3, 4]) {
        yield* call("PATCH", WEB, image(`registry.example/app:${version}`))
        yield* until(`version ${version} is available`, WEB, isAvailable(1))
      }
      const sets = yield* untilItems("one old set is left", SETS, (all) => all.length === 2)
      const revisions = sets.map((set) => textAt(set, "metadata", "annotations", "deployment.kubernetes.io/revision"))
      assert.deepStrictEqual(revisions.toSorted(), ["3", "4"])
    })
  )

  it.live("adopt matching pods, and replace pods that no longer match", () =>
    Effect.gen(function* () {
      const { call, items, until, untilItems } = yield* cluster()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web", 2) })
      yield* until("web is available", WEB, isAvailable(2))
      yield* call("DELETE", WEB, { body: { propagationPolicy: "Orphan" } })
      const [orphan] = yield* untilItems("the set is left alone", SETS, (sets) =>
        sets.some((set) => at(set, "metadata", "ownerReferences") === undefined)
      )
      yield* call("POST", DEPLOYMENTS, { body: deployment("web", 2) })
      const [adopted] = yield* untilItems("the set is adopted", SETS, (sets) =>
        sets.every((set) => arrayAt(set, "metadata", "ownerReferences").length === 1)
      )
      assert.strictEqual(textAt(adopted, "metadata", "uid"), textAt(orphan, "metadata", "uid"))
      const [one] = yield* items(PODS)
      const name = textAt(one, "metadata", "name")
      yield* call("PATCH", `${PODS}/${name}`, patching({ metadata: { labels: { app: "other" } } }))
      yield* untilItems("a third pod stands", PODS, (pods) => pods.length === 3)
      assert.isUndefined(at((yield* call("GET", `${PODS}/${name}`)).json, "metadata", "ownerReferences"))
    })
  )

  it.live(
    "reach a thousand pods quickly, without blocking other work for long",
    () =>
      Effect.gen(function* () {
        const { call, untilItems } = yield* cluster({ kubelet: false, nodes: 3 })
        // Processor time of this thread only, because other programs use the machine too.
        const computedMs = Effect.sync(() => {
          const { system, user } = process.threadCpuUsage()
          return (system + user) / 1_000
        })
        const from = yield* computedMs
        yield* call("POST", DEPLOYMENTS, { body: deployment("web", 1_000) })
        let longest = 0
        for (;;) {
          const before = yield* computedMs
          yield* call("GET", "/healthz")
          longest = Math.max(longest, (yield* computedMs) - before)
          const pods = at(arrayAt((yield* call("GET", SETS)).json, "items")[0], "status", "replicas")
          if (pods === 1_000) break
        }
        // Bounds for a fast machine are half a second and 30 ms.
        assert.isBelow((yield* computedMs) - from, 15_000)
        assert.isBelow(longest, 1_000)
        yield* untilItems("every pod has a node", PODS, (pods) =>
          pods.every((one) => textAt(one, "spec", "nodeName") !== "")
        )
      }),
    120_000
  )
})
