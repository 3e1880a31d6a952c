/** An empty directory that is removed when the scope ends. */
import { Effect } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-keys-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)
