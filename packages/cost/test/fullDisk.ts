/** A small disk of its own, for tests that fill it. Needs the right to mount. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { appendFile, mkdir, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const MIB = 1_024 * 1_024
const FILLER = "filler"

/** Mounts a file system of 64 MiB on a directory, which is made, until the scope ends. */
export const mount = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(directory, { recursive: true })
      await run("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", directory])
      return directory
    }),
    (path) => Effect.promise(() => run("umount", ["--lazy", path]))
  )

/** Fills the disk of a directory to its last block. */
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

/** Frees the space that {@link fill} took. */
export const free = (directory: string) => Effect.promise(() => rm(join(directory, FILLER)))

/** Returns the free space of a directory's disk. **Units** bytes. */
export const freeBytes = (directory: string) =>
  Effect.map(
    Effect.promise(() => statfs(directory)),
    ({ bavail, bsize }) => bavail * bsize
  )
