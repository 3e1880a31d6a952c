import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as KindNames from "../../../src/http/request/KindNames.ts"

const NAMES: ReadonlyArray<readonly [kind: string, names: ReadonlyArray<string>]> = [
  ["Deployment", ["deployment", "deployments", "deploy", "deployments.apps"]],
  ["StatefulSet", ["statefulset", "statefulsets", "sts"]],
  ["DaemonSet", ["daemonset", "daemonsets", "ds"]],
  ["ReplicaSet", ["replicaset", "replicasets", "rs"]],
  ["Job", ["job", "jobs", "jobs.batch"]],
  ["CronJob", ["cronjob", "cronjobs", "cj"]],
  ["Pod", ["pod", "pods", "po"]],
  ["ReplicationController", ["replicationcontroller", "replicationcontrollers", "rc"]],
  ["Node", ["node", "nodes", "no"]],
  ["Namespace", ["namespace", "namespaces", "ns"]],
  ["Service", ["service", "services", "svc"]],
  ["PersistentVolumeClaim", ["persistentvolumeclaim", "persistentvolumeclaims", "pvc"]],
  ["PersistentVolume", ["persistentvolume", "persistentvolumes", "pv"]],
  ["HorizontalPodAutoscaler", ["horizontalpodautoscaler", "horizontalpodautoscalers", "hpa"]],
  ["Ingress", ["ingress", "ingresses", "ing", "ingresses.networking.k8s.io"]]
]

const KIND_BY_NAME = new Map(NAMES.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)))

describe("KindNames", () => {
  it.prop(
    "every name of a kind is the kind, whichever letters are capitals",
    [Schema.Literals([...KIND_BY_NAME.keys()]), Schema.Array(Schema.Boolean)],
    ([name, capitals]) => {
      const letters = Array.from(name, (letter, at) => (capitals[at] === true ? letter.toUpperCase() : letter))
      assert.strictEqual(KindNames.parse(letters.join("")), KIND_BY_NAME.get(name))
    }
  )

  it("a custom kind with a built-in name is named with its group", () => {
    for (const name of ["job.batch.volcano.sh", "jobs.batch.volcano.sh", "Job.batch.volcano.sh"]) {
      assert.strictEqual(KindNames.parse(name), "Job.batch.volcano.sh")
    }
    assert.strictEqual(KindNames.pathOf("jobs.batch.volcano.sh/train"), "Job.batch.volcano.sh/train")
  })

  it.prop("any other text stays as it is: it may be a custom kind", [Schema.String], ([text]) => {
    if (KIND_BY_NAME.has(text.toLowerCase())) return
    assert.strictEqual(KindNames.parse(text), text)
  })
})
