import { assert } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { CHILD, configMap, configMapRef, freshNamespace, PARENT, type Suite, VIEWER } from "./Fixture.ts"

const run = promisify(execFile)

/** A file with that text that is gone after the test. */
const file = (text: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const path = join(await mkdtemp(join(tmpdir(), "quarterdeck-test-")), "file.yaml")
      await writeFile(path, text, { mode: 0o600 })
      return path
    }),
    (path) => Effect.promise(() => rm(dirname(path), { recursive: true }))
  )

/** What people type, through the fleet's own kubeconfig. */
export const kubectl = (it: Suite, program: string): void => {
  const ask = (kubeconfig: string, ...args: ReadonlyArray<string>) =>
    Effect.tryPromise(() => run(program, ["--kubeconfig", kubeconfig, ...args], { env: { HOME: tmpdir() } }))

  it.effect("kubectl sees every cluster as a context, the parent first", () =>
    Effect.gen(function* () {
      const path = yield* file((yield* Fleet).kubeconfig)
      const contexts = yield* ask(path, "config", "get-contexts", "-o", "name")
      assert.deepStrictEqual(contexts.stdout.trim().split("\n").toSorted(), [CHILD, PARENT])
      const current = yield* ask(path, "config", "current-context")
      assert.strictEqual(current.stdout.trim(), PARENT)
    })
  )

  it.effect(
    "kubectl creates in one cluster and gets it there, and not in another",
    () =>
      Effect.gen(function* () {
        const fleet = yield* Fleet
        const path = yield* file(fleet.kubeconfig)
        const namespace = yield* freshNamespace(fleet.parent)
        const at = ["--context", PARENT, "-n", namespace]
        const manifest = yield* file(JSON.stringify(configMap(namespace, "one", {}, { key: "typed" })))
        yield* ask(path, ...at, "create", "--validate=false", "-f", manifest)
        const got = yield* ask(path, ...at, "get", "configmap", "one", "-o", "jsonpath={.data.key}")
        assert.strictEqual(got.stdout, "typed")
        const table = yield* ask(path, ...at, "get", "configmaps")
        assert.match(table.stdout, /^NAME\s+DATA\s+AGE\n(?:kube-root-ca.crt.*\n)?one\s+1\s+/)
        const elsewhere = yield* Effect.exit(ask(path, "--context", CHILD, "-n", namespace, "get", "configmap", "one"))
        assert.strictEqual(elsewhere._tag, "Failure")
        assert.deepStrictEqual((yield* fleet.parent.api.get(configMapRef(namespace, "one")))["data"], { key: "typed" })
      }),
    120_000
  )

  it.effect("kubectl of another user has only that user's permissions", () =>
    Effect.gen(function* () {
      const path = yield* file(yield* (yield* Fleet).kubeconfigFor(VIEWER))
      const error = yield* Effect.flip(ask(path, "get", "secrets", "-A"))
      assert.include(String(error.cause), 'User "viewer" cannot list resource "secrets"')
    })
  )
}
