import { assert, describe, it } from "@effect/vitest"
import * as Owners from "../../src/usage/prometheus/Owners.ts"

const owned = (uid: string, owner_kind: string, owner_name: string) => ({
  labels: { namespace: "shop", pod: uid, uid, owner_kind, owner_name, owner_is_controller: "true" },
  points: []
})

describe("owners in metrics", () => {
  it("are workloads, unless what a pod's author wrote can be none: then the pod is charged as itself", () => {
    const podOwners = [
      owned("a", "StatefulSet", "db"),
      owned("b", "__idle__", "evil"),
      owned("c", "__management__", "evil"),
      owned("d", "Foo", "x/y")
    ]
    const resolve = Owners.resolver({ podOwners, replicaSetOwners: [], jobOwners: [], workloadLabels: [] })
    assert.deepStrictEqual(
      ["a", "b", "c", "d"].map((uid) => {
        const { kind, name } = resolve({ namespace: "shop", name: `pod-${uid}`, uid })
        return `${kind} ${name}`
      }),
      ["StatefulSet db", "Pod pod-b", "Pod pod-c", "Pod pod-d"]
    )
  })
})
