/** Removes what dead runs of the harness left on this machine. */
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { cacheRoot } from "../drivers/control-plane/assets/Programs.ts"
import type { HarnessError, MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"
import * as Owner from "../machine/Owner.ts"
import * as Workspace from "../machine/Workspace.ts"
import * as HeldFleet from "./HeldFleet.ts"

/**
 * Sweeps clusters' programs and directories, files of held fleets, incomplete builds and downloads, containers and
 * networks. Returns one line for each.
 *
 * **Limits** never touches resources of a living process or of another container's processes.
 */
export const sweepEverything: Effect.Effect<ReadonlyArray<string>, MachineRefused | HarnessError> = Effect.gen(
  function* () {
    const root = yield* Workspace.defaultRoot
    const clusters = yield* Workspace.sweep(root)
    const fleets = yield* HeldFleet.sweep
    const drafts = yield* sweepDrafts(yield* cacheRoot)
    const { sweep } = yield* Effect.promise(() => import("../drivers/k3s/Sweep.ts"))
    const containers = yield* sweep
    return [
      ...clusters.map((name) => `cluster directory ${join(root, name)}`),
      ...fleets.map((name) => `held fleet ${name}`),
      ...drafts.map((path) => `incomplete ${path}`),
      ...containers
    ]
  }
)

/** Name of the directory of an unfinished build or download. The first group is the process that owns it. */
const DRAFT = /^v[0-9.]+\.(?:building|downloading)-([0-9]+_[A-Za-z0-9-]+_[A-Za-z0-9]+)-[^-]+$/

const sweepDrafts = (root: string) =>
  attempt("sweep incomplete builds", async () => {
    const swept: Array<string> = []
    for (const name of await readdir(root).catch((): Array<string> => [])) {
      const owner = Owner.parse(DRAFT.exec(name)?.[1] ?? "")
      if (owner === undefined || (await Owner.stateOf(owner)) !== "dead") continue
      await rm(join(root, name), { recursive: true, force: true })
      swept.push(join(root, name))
    }
    return swept
  })
