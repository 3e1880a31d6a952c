/** What tests need of the machine: directories, and programs that start soon. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A directory that is gone after the test. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
)

const { NODE_COMPILE_CACHE } = process.env

/**
 * What a program that gets an environment of its own is given with it: what V8 compiled of it for one test it need not for
 * the next, and it starts in half the time.
 */
export const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
