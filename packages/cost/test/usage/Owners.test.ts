import { assert, describe, it } from "@effect/vitest"
import * as Owners from "../../src/usage/prometheus/Owners.ts"

const owned = (uid: string, owner_kind: string, owner_name: string, seenSeconds = 0) => ({
  labels: { namespace: "shop", pod: `pod-${uid}`, uid, owner_kind, owner_name, owner_is_controller: "true" },
  points: [{ atMs: 0, value: seenSeconds }]
})

/** The workloads of pods, as `kind name`. */
const resolved = (
  uids: ReadonlyArray<string>,
  podOwners: Owners.OwnerAnswers["podOwners"],
  links: Partial<Owners.OwnerAnswers> = {}
): ReadonlyArray<string> => {
  const pods = uids.map((uid) => ({ namespace: "shop", name: `pod-${uid}`, uid, key: uid, node: "", isNewest: true }))
  const resolve = Owners.resolver(
    { podOwners, replicaSetOwners: [], jobOwners: [], workloadLabels: [], ...links },
    pods
  )
  return pods.map((pod) => {
    const { kind, name } = resolve(pod)
    return `${kind} ${name}`
  })
}

describe("owners in metrics", () => {
  it("are workloads, unless what a pod's author wrote can be none: then the pod is charged as itself", () => {
    const podOwners = [
      owned("a", "StatefulSet", "db"),
      owned("b", "__idle__", "evil"),
      owned("c", "__management__", "evil"),
      owned("d", "Foo", "x/y")
    ]
    assert.deepStrictEqual(resolved(["a", "b", "c", "d"], podOwners), [
      "StatefulSet db",
      "Pod pod-b",
      "Pod pod-c",
      "Pod pod-d"
    ])
  })

  it("are none of a static pod, whose mirror is owned by its node: it is a pod, as in the live lists", () => {
    assert.deepStrictEqual(resolved(["a"], [owned("a", "Node", "node-1")]), ["Pod pod-a"])
  })

  it("are the owners of the pod that owns a pod, however deep, and end where pods own each other", () => {
    const podOwners = [
      owned("a", "Pod", "pod-b"),
      owned("b", "Pod", "pod-c"),
      owned("c", "Job", "spark"),
      owned("d", "Pod", "pod-e"),
      owned("e", "Pod", "pod-d"),
      owned("f", "Pod", "gone")
    ]
    const found = resolved(["a", "b", "c", "d", "f"], podOwners)
    assert.deepStrictEqual(found.slice(0, 3), ["Job spark", "Job spark", "Job spark"])
    assert.match(found[3] ?? "", /^Pod pod-[de]$/)
    assert.strictEqual(found[4], "Pod gone")
  })

  it("are followed to the outermost through Jobs and ReplicaSets that pods own, as in the live lists", () => {
    const link = (label: string, name: string, owner_kind: string, owner_name: string) => ({
      labels: { namespace: "shop", [label]: name, owner_kind, owner_name, owner_is_controller: "true" },
      points: [{ atMs: 0, value: 0 }]
    })
    const podOwners = [
      owned("a", "Job", "step"),
      owned("b", "ReplicaSet", "web-1"),
      owned("c", "ReplicaSet", "odd-1"),
      owned("d", "Job", "own")
    ]
    const found = resolved(["a", "b", "c", "d"], podOwners, {
      jobOwners: [link("job_name", "step", "Pod", "pod-b"), link("job_name", "own", "Pod", "pod-d")],
      replicaSetOwners: [
        link("replicaset", "web-1", "Deployment", "web"),
        link("replicaset", "odd-1", "__idle__", "evil")
      ]
    })
    assert.deepStrictEqual(found, ["Deployment web", "Deployment web", "ReplicaSet odd-1", "Pod pod-d"])
  })

  it("are the newest of those that followed each other, by time and not by name", () => {
    const podOwners = [owned("a", "StatefulSet", "a-new", 20), owned("a", "StatefulSet", "z-old", 10)]
    assert.deepStrictEqual(resolved(["a"], podOwners), ["StatefulSet a-new"])
  })
})
