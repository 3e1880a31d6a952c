/** The words and numbers of pods beside those of an API server's own table. `podCases.ts` holds both to the real one. */
import { assert, layer } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Schema } from "effect"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as KubeObjectJson from "../../src/kube/KubeObjectJson.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as PodRows from "../../src/projection/PodRows.ts"
import * as Projection from "../../src/projection/Projection.ts"
import { EmbeddedCluster, pod } from "../fixture/EmbeddedCluster.ts"

const Ended = Schema.Struct({
  exitCode: Schema.Literals([0, 1, 137]),
  signal: Schema.Literals([0, 9]),
  reason: Schema.Literals(["", "Completed", "Error"]),
  finishedAt: Schema.Literals(["2016-01-02T00:00:00Z", "2016-06-02T00:00:00Z"])
})
const State = Schema.Union([
  Schema.Struct({}),
  Schema.Struct({ running: Schema.Struct({ startedAt: Schema.Literal("2016-01-01T00:00:00Z") }) }),
  Schema.Struct({
    waiting: Schema.Struct({
      reason: Schema.Literals(["", "PodInitializing", "CrashLoopBackOff", "ContainerCreating"])
    })
  }),
  Schema.Struct({ terminated: Ended })
])
const Container = Schema.Struct({
  state: State,
  lastState: Schema.Union([Schema.Struct({}), Schema.Struct({ terminated: Ended })]),
  ready: Schema.Boolean,
  started: Schema.Boolean,
  restartCount: Schema.Literals([0, 0, 1, 3])
})
const Condition = Schema.Literals(["True", "False"])

const Drawn = Schema.Struct({
  sidecars: Schema.Array(Schema.Boolean).check(Schema.isMaxLength(3)),
  init: Schema.Array(Container).check(Schema.isMaxLength(3)),
  main: Schema.Array(Container).check(Schema.isMaxLength(2)),
  phase: Schema.Literals(["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
  reason: Schema.Literals(["", "", "Evicted", "NodeLost"]),
  ready: Condition,
  initialized: Condition,
  isGated: Schema.Literals([false, false, false, true]),
  isDeleted: Schema.Literals([false, false, true])
})

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }

/** A pod as a server would keep it. */
const manifestOf = ({ init, initialized, isGated, main, phase, ready, reason, sidecars }: typeof Drawn.Type) => {
  const image = "web:1"
  const statusOf = (prefix: string) => (container: typeof Container.Type, index: number) => ({
    name: `${prefix}-${index}`,
    image,
    imageID: "",
    ...container
  })
  const scheduled = isGated ? { status: "False", reason: "SchedulingGated" } : { status: "True" }
  return {
    spec: {
      containers: Array.from({ length: 2 }, (_, index) => ({ name: `main-${index}`, image })),
      initContainers: sidecars.map((isSidecar, index) => ({
        name: `init-${index}`,
        image,
        ...(isSidecar ? { restartPolicy: "Always" } : {})
      }))
    },
    status: {
      phase,
      ...(reason === "" ? {} : { reason }),
      conditions: [
        { type: "Ready", status: ready },
        { type: "Initialized", status: initialized },
        { type: "PodScheduled", ...scheduled }
      ],
      initContainerStatuses: init.slice(0, sidecars.length).map(statusOf("init")),
      containerStatuses: main.map(statusOf("main"))
    }
  }
}

const Table = Schema.fromJsonString(
  Schema.Struct({ rows: Schema.Array(Schema.Struct({ cells: Schema.Array(Schema.Unknown) })) })
)

layer(EmbeddedCluster.layer(), { excludeTestServices: true })("the status of pods", (it) => {
  it.effect.prop(
    "is what the server's table shows, whatever the kubelet has written",
    [Drawn],
    ([drawn]) =>
      Effect.gen(function* () {
        const { objects } = yield* (yield* EmbeddedCluster).anew
        const { spec, status } = manifestOf(drawn)
        const ref = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "drawn" }
        yield* objects.create({ ...pod("drawn", { finalizers: ["acme.io/hold"] }), spec })
        yield* objects.patch(ref, { status }, { subresource: "status" })
        if (drawn.isDeleted) yield* objects.delete(ref)
        const path = "/api/v1/namespaces/default/pods/drawn"
        const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
        const table = yield* Effect.flatMap(objects.request({ method: "GET", path, accept }), ({ text }) =>
          Schema.decodeUnknownEffect(Table)(text)
        )
        const [, ready, shown, restarts] = table.rows[0]?.cells ?? []
        const stored = yield* objects.get(ref)
        const row = PodRows.of(Projection.project("Pod", asRead(stored), place), undefined)
        const [count, ago] = String(restarts).split(" ")
        assert.deepStrictEqual(
          [
            `${row.readyContainers}/${row.containers}`,
            row.status,
            String(row.restarts),
            row.lastRestartAt !== undefined
          ],
          [ready, shown, count, ago !== undefined]
        )
      }),
    { arbitrary: { runs: 300 } }
  )
})

const asRead = (object: unknown): KubeObject => {
  const read = KubeObjectJson.toObject(object)
  return read._tag === "Success" ? read.success : assert.fail("the server sent no object")
}
