/** A small file system, for tests that fill the disk. Requires the right to mount. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { appendFile, mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const MIB = 1_024 * 1_024
const FILLER = "filler"

/** Creates a directory and mounts a file system of 64 MiB on it until the scope ends. */
export const mount = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(directory, { recursive: true })
      await run("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", directory])
      return directory
    }),
    (path) => Effect.promise(() => run("umount", ["--lazy", path]))
  )

/** Fills the file system of a directory completely. */
export const fill = (directory: string) =>
  Effect.promise(async () => {
    for (let size = MIB; size >= 1; size = Math.floor(size / 2)) {
      for (let written = 0; written < 80; written++) {
        const refused = await appendFile(join(directory, FILLER), Buffer.alloc(size)).then(
          () => undefined,
          (error: NodeJS.ErrnoException) => error.code
        )
        if (refused === "ENOSPC") break
        if (refused !== undefined) throw new Error(refused)
      }
    }
  })

/** Frees the space that {@link fill} used. */
export const free = (directory: string) => Effect.promise(() => rm(join(directory, FILLER)))
