/**
 * Files for a container to mount: the user of the image may read them, whoever made them.
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A directory that goes with the scope. */
export const directory = Effect.acquireRelease(
  Effect.promise(async () => {
    const path = await mkdtemp(join(tmpdir(), "quarterdeck-mounted-"))
    await chmod(path, 0o755)
    return path
  }),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

/** Writes a file of a directory. */
export const file = (directory: string, name: string, text: string) =>
  Effect.promise(async () => {
    const path = join(directory, name)
    await writeFile(path, text, { mode: 0o644 })
    return path
  })

/** A keys file with one Admin without scope. */
export const keysOf = (raw: string): string =>
  JSON.stringify([{ name: "admin", hash: createHash("sha256").update(raw).digest("hex"), rule: { role: "Admin" } }])
