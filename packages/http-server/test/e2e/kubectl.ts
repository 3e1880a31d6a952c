/**
 * What people type at a cluster of the fleet, by the real program.
 */
import type { Fleet } from "@quarterdeck/harness"
import * as Programs from "@quarterdeck/harness/Programs"
import { Effect, Option } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Runs kubectl with the fleet's own kubeconfig, in the context of a cluster. */
export const kubectl = Effect.fnUntraced(function* (
  fleet: Fleet["Service"],
  cluster: string,
  args: ReadonlyArray<string>
) {
  const program = yield* Effect.map(Programs.find("kubectl"), Option.getOrThrow)
  const kubeconfig = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const path = join(await mkdtemp(join(tmpdir(), "quarterdeck-e2e-")), "kubeconfig.yaml")
      await writeFile(path, fleet.kubeconfig, { mode: 0o600 })
      return path
    }),
    (path) => Effect.promise(() => rm(dirname(path), { recursive: true }))
  )
  const { stdout } = yield* Effect.tryPromise(() =>
    run(program.path, ["--kubeconfig", kubeconfig, "--context", cluster, ...args], {
      env: { HOME: dirname(kubeconfig) }
    })
  )
  return stdout
})
