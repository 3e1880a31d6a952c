import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect } from "effect"
import { isWorkload } from "../../src/hour/Series.ts"
import { deployment, ofDeployment, pod } from "./objects.ts"
import { a, begin, hoursOf, inMemory, measured, oneCluster, requestsOnly, start, until } from "./sampling.ts"

const owned = (kind: string, name: string) => ({ owner: { apiVersion: "x.io/v1", kind, name } })

describe("what a pod tells of its owner", () => {
  it.effect(
    "is believed where it reads as a workload; else the pod is charged as itself, and no fee is made of it",
    () =>
      Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        const ran = { from: "09:00:00" }
        server.put(
          "Pod",
          pod("web-1", ran, { owner: ofDeployment("web") }),
          pod("custom", ran, owned("Rollout", "shop-front")),
          pod("idle", ran, owned("__idle__", "n1")),
          pod("unmounted", ran, owned("__unmounted__", "n1")),
          pod("management", ran, owned("__management__", "control-plane")),
          pod("small", ran, owned("rollout", "n1")),
          pod("slash-kind", ran, owned("Deployment/web", "n1")),
          pod("slash-name", ran, owned("Rollout", "web/n1")),
          pod("control", ran, owned("Rollout", "web\n")),
          pod("nameless", ran, owned("Rollout", ""))
        )
        yield* begin("09:58:00")
        yield* start(fleet, requestsOnly)
        yield* until("11:02:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        const themselves = [
          "idle",
          "unmounted",
          "management",
          "small",
          "slash-kind",
          "slash-name",
          "control",
          "nameless"
        ]
        assert.deepStrictEqual(
          measured(hour, "replicaSeconds"),
          Object.fromEntries(
            ["Deployment/web", "Rollout/shop-front", ...themselves.map((name) => `Pod/${name}`)].map((row) => [
              row,
              3_600
            ])
          )
        )
        const beside = hour?.series
          .filter((series) => !isWorkload(series))
          .map(({ kind, namespace }) => [kind, namespace])
        assert.deepStrictEqual(beside?.toSorted(), [
          ["__idle__", ""],
          ["__management__", ""]
        ])
      }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect(
    "is not believed where it names what is in another namespace: neither its name nor its labels come over",
    () =>
      Effect.gen(function* () {
        const { fleet, server } = yield* oneCluster
        const there = ({ metadata, ...rest }: KubeObject): KubeObject => ({
          ...rest,
          metadata: { ...metadata, namespace: "other", labels: { team: "blue", project: "merger" } }
        })
        const victim = deployment("victim")
        server.put("Deployment", there(victim.deployment), there(deployment("direct").deployment))
        server.put("ReplicaSet", there(victim.replicaSet))
        const ran = { from: "09:00:00" }
        server.put(
          "Pod",
          pod("mine", ran, { owner: { ...ofDeployment("victim"), uid: "ReplicaSet/victim-1", name: "whatever" } }),
          pod("own", ran, { owner: { apiVersion: "apps/v1", kind: "Deployment", name: "direct" } })
        )
        yield* begin("09:58:00")
        yield* start(fleet, requestsOnly)
        yield* until("11:03:00")
        const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
        assert.deepStrictEqual(
          hour?.series
            .filter(isWorkload)
            .map(({ kind, labels, name, namespace }) => [namespace, kind, name, labels])
            .toSorted(),
          [
            ["shop", "Deployment", "direct", {}],
            ["shop", "ReplicaSet", "whatever", {}]
          ]
        )
      }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
