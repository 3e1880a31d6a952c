import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Effect } from "effect"
import { isWorkload } from "../../src/hour/Series.ts"
import { cronJob, deployment, ofDeployment, pod } from "./objects.ts"
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

  it.effect("is followed to the outermost owner: through pods, and by the group of a custom kind", () =>
    Effect.gen(function* () {
      const { fleet, server } = yield* oneCluster
      const ran = { from: "09:00:00" }
      const by = (apiVersion: string, kind: string, name: string) => ({ owner: { apiVersion, kind, name } })
      const web = deployment("connect")
      server.put("Deployment", web.deployment, deployment("direct").deployment)
      server.put("ReplicaSet", web.replicaSet)
      server.put("CronJob", cronJob("tick"))
      server.put(
        "Pod",
        pod("exec-1", ran, by("v1", "Pod", "driver")),
        pod("exec-2", ran, by("v1", "Pod", "exec-1")),
        pod("driver", ran),
        pod("connect-1-x", ran, { owner: ofDeployment("connect") }),
        pod("connect-exec", ran, by("v1", "Pod", "connect-1-x")),
        pod("direct-1", ran, by("apps/v1", "Deployment", "direct")),
        pod("tick-1", ran, by("batch/v1", "CronJob", "tick")),
        pod("train-1", ran, by("batch.volcano.sh/v1alpha1", "Job", "train")),
        pod("kube-proxy-n1", ran, by("v1", "Node", "n1"))
      )
      yield* begin("09:58:00")
      yield* start(fleet, requestsOnly)
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "replicaSeconds"), {
        "CronJob/tick": 3_600,
        "Deployment/connect": 7_200,
        "Deployment/direct": 3_600,
        "Job.batch.volcano.sh/train": 3_600,
        "Pod/driver": 10_800,
        "Pod/kube-proxy-n1": 3_600
      })
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})
