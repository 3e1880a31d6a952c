/** A lock file that one process at a time can hold. The lock of a dead process is free. */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import * as Owner from "./Owner.ts"

/**
 * Takes the lock and returns undefined, or returns the owner that holds it. Does not wait.
 *
 * **Shape** the file holds its owner's name and is written atomically. The lock of a dead owner is taken over. The lock
 * of an owner in another process namespace is not, because its state is unknown here.
 */
export const take = async (path: string): Promise<Owner.Owner | undefined> => {
  const mine = Owner.print(await Owner.self())
  drafts += 1
  const draft = `${path}.${drafts}.${mine}`
  await writeFile(draft, mine)
  try {
    for (;;) {
      const holder = await attemptTake(path, draft)
      if (holder !== "Again") return holder
    }
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns the owner that a lock names, or undefined if there is no lock or it names no owner. */
export const ownerOf = async (path: string): Promise<Owner.Owner | undefined> => Owner.parse((await read(path)) ?? "")

export const release = (path: string): Promise<void> => rm(path, { force: true })

/** Number of drafts so far. It makes the names of drafts unique if two callers in one process take the same lock. */
let drafts = 0

const attemptTake = async (path: string, draft: string): Promise<Owner.Owner | undefined | "Again"> => {
  try {
    await link(draft, path)
    return undefined
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause
  }
  const content = await read(path)
  if (content === undefined) return "Again"
  const owner = Owner.parse(content)
  if (owner !== undefined && (await Owner.stateOf(owner)) !== "dead") return owner
  return await takeOver(path, content, draft)
}

/**
 * Replaces a dead owner's lock.
 *
 * The caller holds a second lock meanwhile. A dead owner never releases its lock, so a lock with unchanged content
 * stays unchanged until it is replaced. A living owner's lock is never moved.
 */
const takeOver = async (path: string, content: string, draft: string): Promise<Owner.Owner | undefined | "Again"> => {
  const guard = `${path}.taking`
  const other = await take(guard)
  if (other !== undefined) return other
  try {
    if ((await read(path)) !== content) return "Again"
    await rename(draft, path)
    return undefined
  } finally {
    await release(guard)
  }
}

const read = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return undefined
    throw cause
  }
}

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code
