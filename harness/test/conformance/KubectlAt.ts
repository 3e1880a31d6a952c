/** kubectl, pointed at one cluster of the fleet and a namespace of the test's own. */
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"
import { freshNamespace } from "./Fixture.ts"

const run = promisify(execFile)

/** A directory that is gone after the test. */
export const home: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

/** Runs a program to its end and gives what it printed. */
export const program =
  (path: string, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  (...args: ReadonlyArray<string>) =>
    Effect.map(
      Effect.tryPromise((signal) => run(path, args, { cwd, signal, env: { HOME: cwd, ...env } })),
      ({ stdout }) => stdout.trim()
    )

export const kubectlAt = Effect.fnUntraced(function* (path: string, cluster: FleetCluster) {
  const directory = yield* home
  const namespace = yield* freshNamespace(cluster)
  const write = (name: string, text: string) =>
    Effect.promise(async () => {
      await writeFile(join(directory, name), text, { mode: 0o600 })
      return join(directory, name)
    })
  const config = yield* write("config", cluster.kubeconfig)
  const base = ["--kubeconfig", config, "-n", namespace]
  const once = program(path, directory)
  const kubectl = (...args: ReadonlyArray<string>) => once(...base, ...args)
  return {
    namespace,
    kubectl,
    config,
    refused: (...args: ReadonlyArray<string>) =>
      Effect.map(Effect.flip(kubectl(...args)), ({ cause }) => String(cause)),
    manifest: (name: string, ...objects: ReadonlyArray<object>) =>
      write(name, objects.map((object) => JSON.stringify(object)).join("\n---\n")),
    /** Lines as they come; each call gives the next, empty once the program has ended. */
    follow: (...args: ReadonlyArray<string>) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => spawn(path, [...base, ...args], { env: { HOME: directory } })),
          (child) => Effect.sync(() => child.kill())
        ),
        (child) => {
          const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
          return Effect.promise(async () => {
            const line = await lines.next()
            return line.done === true ? "" : line.value
          })
        }
      )
  }
})
