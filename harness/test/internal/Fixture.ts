/** Directories, and what the operating system says of processes. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A directory that is gone after the test. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
)
