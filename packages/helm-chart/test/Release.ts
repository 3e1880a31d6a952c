/** Releases of the chart, by the real helm. */
import { Effect } from "effect"
import { join } from "node:path"
import { CHART, NAMESPACE } from "./Chart.ts"
import { succeed, temporaryDirectory, write } from "./Programs.ts"

/** Makes helm's verbs for one release in one cluster. **Shape** `base` are values that each install and upgrade has. */
export const releaseOf = Effect.fnUntraced(function* (kubeconfig: string, name: string, base: object = {}) {
  const directory = yield* temporaryDirectory
  const config = yield* write(join(directory, "kubeconfig"), kubeconfig)
  const helm = (...args: ReadonlyArray<string>) =>
    succeed("helm", ["--kubeconfig", config, "--namespace", NAMESPACE, ...args])
  const withValues = (verb: "install" | "upgrade") => (values: object) =>
    Effect.flatMap(write(join(directory, "values.yaml"), JSON.stringify({ ...base, ...values })), (path) =>
      helm(verb, name, CHART, "--create-namespace", "--values", path)
    )
  // Without --debug a refused uninstall does not say why.
  return {
    install: withValues("install"),
    upgrade: withValues("upgrade"),
    uninstall: helm("uninstall", name, "--debug")
  }
})
