import { assert } from "@effect/vitest"
import type { Fleet } from "@quarterdeck/harness"
import { Clock, Effect, Schema } from "effect"
import * as PodColumns from "../../src/cli/print/PodColumns.ts"
import { Deployment } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"
import { POD_CASES } from "./podCases.ts"
import type { PodCase } from "./podParts.ts"

const NAMESPACE = "states"
/** Keeps what is deleted there to be looked at. */
const HOLD = "acme.io/hold"

const podOf = ({ isDeleted, name, spec }: PodCase) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: NAMESPACE, ...(isDeleted === true ? { finalizers: [HOLD] } : {}) },
  spec: { containers: [{ name: "main", image: "acme/main:1" }], ...spec }
})

const refOf = ({ name }: PodCase) => ({ apiVersion: "v1", kind: "Pod", namespace: NAMESPACE, name })

const prepare = Effect.fnUntraced(function* ({ parent: { api } }: Fleet["Service"]) {
  yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } })
  for (const one of POD_CASES) {
    yield* api.create(podOf(one))
    if (one.status !== undefined) yield* api.patch(refOf(one), { status: one.status }, { subresource: "status" })
    if (one.isDeleted === true) yield* api.delete(refOf(one))
  }
})

const Table = Schema.Struct({
  columnDefinitions: Schema.Array(Schema.Struct({ name: Schema.String })),
  rows: Schema.Array(Schema.Struct({ cells: Schema.Array(Schema.Unknown) }))
})
const decodeTable = Schema.decodeUnknownEffect(Schema.fromJsonString(Table))

/** What `kubectl get pods` shows of a pod: the server's own table. */
const tableOf = Effect.fnUntraced(function* (name: string) {
  const { fleet } = yield* Deployment
  const { text } = yield* fleet.parent.api.request({
    method: "GET",
    path: `/api/v1/namespaces/${NAMESPACE}/pods/${name}`,
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io"
  })
  const { columnDefinitions, rows } = yield* decodeTable(text)
  const titles = columnDefinitions.map((column) => column.name)
  const cells = rows[0]?.cells ?? []
  return ["Ready", "Status", "Restarts"].map((title) => String(cells[titles.indexOf(title)]))
})

onBothKinds("the status of pods", { children: [], prepare }, (it) => {
  it.effect.each(POD_CASES.map((one) => [one.name, one] as const))("is kubectl's: %s", ([name, { shown }]) =>
    Effect.gen(function* () {
      const { pods } = yield* (yield* Deployment).pods(`?namespace=${NAMESPACE}&name=${name}`)
      const row = pods.find((pod) => pod.name === name) ?? assert.fail("no such pod")
      const { table } = PodColumns.make(yield* Clock.currentTimeMillis)
      const cells = ["READY", "STATUS", "RESTARTS"].map((title) =>
        String(table.find((column) => column.title === title)?.cell(row))
      )
      assert.deepStrictEqual(yield* tableOf(name), [...shown])
      assert.deepStrictEqual(cells, [...shown])
    })
  )
})
