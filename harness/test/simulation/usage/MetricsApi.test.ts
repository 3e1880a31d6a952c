import { Quantity } from "@quarterdeck/embedded-cluster"
import { assert, layer } from "@effect/vitest"
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Clock, Effect, Exit, Option, Schema, Scope } from "effect"
import { find } from "../../../src/drivers/control-plane/assets/Programs.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import { inRealTime } from "../../../src/machine/Machine.ts"
import * as Usage from "../../../src/simulation/usage/Usage.ts"
import { CPU, MEMORY, NODE, populate, SIDE_CPU } from "./Fixture.ts"
import { temporaryDirectory } from "./Programs.ts"

const run = promisify(execFile)
const { run: drivers } = await Effect.runPromise(Drivers.selected)
const kubectl = await Effect.runPromise(find("kubectl"))

const Measured = Schema.Struct({ cpu: Schema.String, memory: Schema.String })
const PodMetrics = Schema.Struct({
  metadata: Schema.Struct({ name: Schema.String, namespace: Schema.String }),
  timestamp: Schema.String,
  window: Schema.String,
  containers: Schema.Array(Schema.Struct({ name: Schema.String, usage: Measured }))
})
const List = Schema.fromJsonString(Schema.Struct({ kind: Schema.String, items: Schema.Array(PodMetrics) }))
const NodeMetrics = Schema.fromJsonString(Schema.Struct({ kind: Schema.String, usage: Measured }))
const decodeList = Schema.decodeUnknownEffect(List)
const decodeNode = Schema.decodeUnknownEffect(NodeMetrics)

const ROOT = "/apis/metrics.k8s.io/v1beta1"

for (const driver of drivers) {
  layer(Fleet.layer({ driver, parent: "hub" }), { timeout: "2 minutes" })(
    `metrics.k8s.io on the ${driver.name} driver`,
    (it) => {
      it.effect(
        "tells present usage to the API's clients and to kubectl top, and is gone with its scope",
        () =>
          Effect.gen(function* () {
            const { parent } = yield* Fleet
            yield* populate(parent)
            const scope = yield* Scope.make()
            yield* Scope.provide(Usage.serve(parent), scope)
            const ask = (path: string, query: Readonly<Record<string, string>> = {}) =>
              parent.api.request({ method: "GET", path: `${ROOT}${path}`, query })

            const nowMs = yield* inRealTime(Clock.currentTimeMillis)
            const all = yield* decodeList((yield* ask("/pods")).text)
            assert.strictEqual(all.kind, "PodMetricsList")
            assert.deepStrictEqual(
              all.items.map(({ metadata }) => metadata.name),
              ["web"]
            )
            const [main, side] = all.items[0]?.containers ?? []
            assert.strictEqual(side?.usage.cpu, "50000000n")
            assert.strictEqual(main?.usage.memory, `${300 * 1_024}Ki`)
            // Between the call and this line the curve may have moved by what it moves in some seconds.
            assert.approximately(Quantity.parse(main?.usage.cpu ?? "") ?? 0, Usage.at(CPU, nowMs), 0.1)

            const node = yield* decodeNode((yield* ask(`/nodes/${NODE}`)).text)
            const cores = Quantity.parse(node.usage.cpu) ?? 0
            assert.approximately(cores, Usage.at(CPU, nowMs) + Usage.at(SIDE_CPU, nowMs) + 0.1, 0.1)
            assert.strictEqual(Quantity.parse(node.usage.memory), 2 * Usage.at(MEMORY, nowMs) + 512 * 2 ** 20)

            const chosen = yield* decodeList((yield* ask("/pods", { labelSelector: "app in (web),!missing" })).text)
            assert.strictEqual(chosen.items.length, 1)
            const others = yield* decodeList(
              (yield* ask("/namespaces/default/pods", { labelSelector: "app!=web" })).text
            )
            assert.strictEqual(others.items.length, 0)
            const over = yield* ask("/namespaces/default/pods/done")
            assert.deepStrictEqual([over.status, over.text.includes('"default/done\\" not found')], [404, true])

            if (Option.isSome(kubectl)) {
              const kubeconfig = join(yield* temporaryDirectory, "kubeconfig.yaml")
              yield* Effect.promise(() => writeFile(kubeconfig, parent.kubeconfig, { mode: 0o600 }))
              const top = (...args: ReadonlyArray<string>) =>
                Effect.promise(() =>
                  run(kubectl.value.path, ["--kubeconfig", kubeconfig, "top", ...args], { env: { HOME: tmpdir() } })
                )
              const pods = yield* top("pods", "-A", "--containers", "--no-headers")
              assert.match(pods.stdout, /^default\s+web\s+side\s+50m\s+300Mi\s*$/m)
              const nodes = yield* top("nodes", "--no-headers")
              assert.match(nodes.stdout, new RegExp(`^${NODE}\\s+[0-9]+m\\s+0%\\s+1112Mi\\s+0%\\s*$`, "m"))
            }

            yield* Scope.close(scope, Exit.void)
            const gone = Effect.map(ask("/pods"), ({ status }) => status)
            yield* eventually("metrics are gone", gone, (status) => status === 404, { within: "60 seconds" })
          }),
        240_000
      )
    }
  )
}
