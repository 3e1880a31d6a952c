import type { Target } from "@quarterdeck/targeting/Target"
import { anyOf, everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FanOutFailed } from "../../src/list/ListError.ts"
import type { Page, PodSort } from "../../src/list/ListQuery.ts"
import type { PodFilter } from "../../src/list/PodFilter.ts"
import { type PodQuery, Pods } from "../../src/list/Pods.ts"
import type { PodRow } from "../../src/projection/Row.ts"
import type { FakeFleet } from "../fixture/FakeFleet.ts"
import { namespace, object, pod } from "../fixture/KubeObjects.ts"
import { all, onFleet, pageOf, timed } from "../fixture/Service.ts"
import { becomes } from "../fixture/Settling.ts"

interface Change {
  readonly filter?: PodFilter
  readonly page?: Partial<Page<PodSort>>
  readonly namespaces?: PodQuery["namespaces"]
}

const list = (target: Target, { filter = {}, namespaces = everyNamespace, page }: Change = {}) =>
  Effect.flatMap(Pods, (pods) =>
    pods.list({ target, namespaces, filter, page: pageOf("name", page), cursorBinding: "key-1" })
  )

const spelled = (rows: ReadonlyArray<PodRow>) =>
  rows.map(
    ({ cluster, name, owner }) => `${cluster}/${name} of ${owner === null ? "none" : `${owner.kind}/${owner.name}`}`
  )

const SET = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "rs" }
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "web" }
const JOB = { apiVersion: "batch/v1", kind: "Job", name: "nightly-1", uid: "job" }
const CRON = { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "cron" }
const NODE = { apiVersion: "v1", kind: "Node", name: "node-1", uid: "node" }

const held = object("ReplicaSet", "web-1", { namespace: "default", uid: "rs", owner: DEPLOYMENT })

const fill = (fleet: FakeFleet): void => {
  fleet
    .server("a")
    .put("Namespace", namespace("default"), namespace("shop", { team: "a" }))
    .put("ReplicaSet", held)
    .put("Job", object("Job", "nightly-1", { namespace: "default", uid: "job", owner: CRON }))
    .put("Pod", pod("web-1-x", { owner: SET }), pod("nightly-1-x", { owner: JOB }), pod("bare"))
    .put("Pod", pod("mirror", { owner: NODE }), pod("elsewhere", { namespace: "shop" }))
  fleet.server("b").put("Namespace", namespace("default")).put("Pod", pod("other"))
}

describe("Pods", () => {
  it.effect("tells the workload that each pod counts to", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const { clusters, items, partial } = yield* list(all("a", "b"))
        assert.deepStrictEqual(spelled(items), [
          "a/bare of none",
          "a/elsewhere of none",
          "a/mirror of none",
          "a/nightly-1-x of CronJob/nightly",
          "b/other of none",
          "a/web-1-x of Deployment/web"
        ])
        assert.deepStrictEqual(
          clusters.map(({ count }) => count),
          [5, 1]
        )
        assert.isFalse(partial)
      })
    )
  )

  it.effect("follows what stands between a pod and its workload when that changes alone", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        const of = (workload: PodFilter["workload"] & {}) =>
          Effect.map(list(all("a"), { filter: { workload } }), ({ items }) => spelled(items))
        assert.deepStrictEqual(yield* of({ kind: "Deployment", name: "web" }), ["a/web-1-x of Deployment/web"])
        fleet.server("a").put("ReplicaSet", object("ReplicaSet", "web-1", { namespace: "default", uid: "rs" }))
        yield* becomes(of({ kind: "ReplicaSet", name: "web-1" }), ["a/web-1-x of ReplicaSet/web-1"])
        assert.deepStrictEqual(yield* of({ kind: "Deployment", name: "web" }), [])
        assert.deepStrictEqual(yield* of({ kind: "Pod", name: "bare" }), ["a/bare of none"])
      })
    )
  )

  it.effect("reaches namespaces by their labels alone where the key does", () =>
    onFleet(["a", "b"], fill, () =>
      Effect.gen(function* () {
        const namespaces = anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }])
        const { items } = yield* list(all("a", "b"), { namespaces })
        assert.deepStrictEqual(spelled(items), ["a/elsewhere of none"])
      })
    )
  )

  it.effect("reads the cluster now when that is asked for, and never its kept rows", () =>
    onFleet(["a", "b"], fill, (fleet) =>
      Effect.gen(function* () {
        yield* list(all("a"))
        fleet.server("a").putUnseen("Pod", pod("unseen", { owner: SET }))
        const filter = { workload: { kind: "Deployment", name: "web" } }
        const { clusters, items } = yield* list(all("a"), { filter, page: { consistency: "live" } })
        assert.deepStrictEqual(spelled(items), ["a/unseen of Deployment/web", "a/web-1-x of Deployment/web"])
        assert.strictEqual(clusters[0]?.source, "live")
        assert.deepStrictEqual(spelled((yield* list(all("a"), { filter })).items), ["a/web-1-x of Deployment/web"])
      })
    )
  )

  it.effect.each(["cache", "live"] as const)(
    "a cluster whose pods may not be read has not answered; one whose ReplicaSets may not tells the nearest owner: %s",
    (consistency) =>
      onFleet(
        ["a", "b"],
        (fleet) => {
          fill(fleet)
          fleet.server("a").forbidden.add("ReplicaSet")
          fleet.server("b").forbidden.add("Pod")
        },
        () =>
          Effect.gen(function* () {
            const { clusters, items, partial } = yield* timed(list(all("a", "b"), { page: { consistency } }))
            assert.include(spelled(items), "a/web-1-x of ReplicaSet/web-1")
            assert.isTrue(partial)
            assert.deepStrictEqual(
              clusters.map(({ missingKinds, status }) => [status, missingKinds]),
              [
                ["ok", ["ReplicaSet"]],
                ["forbidden", undefined]
              ]
            )
            const error = yield* Effect.flip(timed(list(all("b"), { page: { consistency } })))
            assert.instanceOf(error, FanOutFailed)
          })
      )
  )
})
