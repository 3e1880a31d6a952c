/** An empty directory that ends with the scope. */
import { Effect } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-cost-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)
