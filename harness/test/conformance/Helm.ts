import { assert } from "@effect/vitest"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { configMapRef, freshNamespace, parent, refusal, type Suite } from "./Fixture.ts"
import { home, program } from "./KubectlAt.ts"

const CHART = { apiVersion: "v2", name: "small", version: "0.1.0" }
const TEMPLATE = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  colour: {{ .Values.colour }}
`

/** helm, which nobody here wrote: it installs, upgrades, rolls back and uninstalls. */
export const helm = (it: Suite, path: string): void => {
  it.effect(
    "helm installs a chart, upgrades it, rolls back and uninstalls it",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const namespace = yield* freshNamespace(cluster)
        const directory = yield* home
        const chart = join(directory, "small")
        const config = join(directory, "config")
        yield* Effect.promise(async () => {
          await mkdir(join(chart, "templates"), { recursive: true })
          await writeFile(join(chart, "Chart.yaml"), JSON.stringify(CHART))
          await writeFile(join(chart, "values.yaml"), "colour: grey\n")
          await writeFile(join(chart, "templates", "settings.yaml"), TEMPLATE)
          await writeFile(config, cluster.kubeconfig, { mode: 0o600 })
        })
        const run = program(path, directory)
        const helm = (...args: ReadonlyArray<string>) => run("--kubeconfig", config, "--namespace", namespace, ...args)
        const settings = configMapRef(namespace, "one-settings")
        const colour = Effect.map(cluster.api.get(settings), (map) => map["data"])

        assert.match(yield* helm("install", "one", chart), /STATUS: deployed/)
        assert.deepStrictEqual(yield* colour, { colour: "grey" })
        assert.match(yield* helm("upgrade", "one", chart, "--set", "colour=red"), /REVISION: 2/)
        assert.deepStrictEqual(yield* colour, { colour: "red" })
        yield* helm("rollback", "one", "1")
        assert.deepStrictEqual(yield* colour, { colour: "grey" })
        assert.match(yield* helm("list"), /^one\s+\S+\s+3\s/m)
        yield* helm("uninstall", "one")
        assert.strictEqual((yield* refusal(cluster.api.get(settings))).code, 404)
      }),
    120_000
  )
}
