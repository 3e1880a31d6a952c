/** A small disk of its own, for tests that fill it. Needs the right to mount. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Mounts a file system of 64 MiB on a directory, which is made, until the scope ends. */
export const mountDisk = (directory: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(directory, { recursive: true })
      await run("mount", ["-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", directory])
    }),
    () => Effect.promise(() => run("umount", ["--lazy", directory]))
  )

/** Fills the disk with one file to its last byte. */
export const fill = (directory: string) =>
  Effect.promise(async () => {
    for (const size of ["64k", "1"]) {
      const args = ["if=/dev/zero", `of=${join(directory, "filler")}`, `bs=${size}`, "conv=notrunc", "oflag=append"]
      const { message } = await run("dd", args).then(
        () => ({ message: "the disk has no end" }),
        (error: Error) => error
      )
      assert.match(message, /No space left on device/)
    }
  })
