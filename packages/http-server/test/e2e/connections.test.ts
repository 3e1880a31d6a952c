import { assert } from "@effect/vitest"
import { Proxy } from "@quarterdeck/harness"
import { Effect, Ref } from "effect"
import { Deployment } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

/** One watch for each kind that the cache follows. */
const WATCHES = 9
const CALL_CONNECTIONS = 4

const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"]

const counted = Ref.makeUnsafe<Proxy.ClusterProxy | undefined>(undefined)

onBothKinds(
  "connections",
  {
    children: [],
    // The service reaches the parent through a proxy, which counts at the server's side.
    kubeconfig: (fleet) =>
      Effect.gen(function* () {
        const proxy = yield* Proxy.through(fleet.parent)
        yield* Ref.set(counted, proxy)
        return proxy.kubeconfig
      })
  },
  (it) => {
    it.effect("200 live calls to one cluster open at most 4 connections beside the watches", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const proxy = yield* Effect.fromNullishOr(yield* Ref.get(counted))
        yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => index),
          // One list at a time is made for the same question, so the questions differ.
          (index) => deployment.workloads(`?consistency=live&timeoutMs=30000&kind=${KINDS[index % KINDS.length]}`),
          { concurrency: 50, discard: true }
        )
        assert.isAtMost(yield* proxy.accepted, WATCHES + CALL_CONNECTIONS)
      })
    )
  }
)
