/** A file that one process at a time may have, and that is free again when its process has died. */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import * as Owner from "./Owner.ts"

/**
 * Takes the lock now and gives undefined, or gives the owner that has it.
 *
 * **Shape** the file holds its owner, and is there whole or not at all. The lock of an owner that no longer runs is taken
 * over; one whose owner cannot be seen from here is not.
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

/** Gives the owner that a lock names; undefined when there is no lock, or none that names one. */
export const ownerOf = async (path: string): Promise<Owner.Owner | undefined> => Owner.parse((await read(path)) ?? "")

/** Gives the lock back. */
export const release = (path: string): Promise<void> => rm(path, { force: true })

/** Two that take one lock in one process write two drafts. */
let drafts = 0

const attemptTake = async (path: string, draft: string): Promise<Owner.Owner | undefined | "Again"> => {
  try {
    await link(draft, path)
    return undefined
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause
  }
  const held = await read(path)
  if (held === undefined) return "Again"
  const owner = Owner.parse(held)
  if (owner !== undefined && (await Owner.stateOf(owner)) !== "dead") return owner
  return await takeOver(path, held, draft)
}

/**
 * Replaces a dead owner's lock.
 *
 * Whoever replaces a lock holds a second one meanwhile. A dead owner gives nothing back, so a lock that still is
 * what it was cannot change under the one who may replace it, and no living owner's lock is ever moved.
 */
const takeOver = async (path: string, held: string, draft: string): Promise<Owner.Owner | undefined | "Again"> => {
  const guard = `${path}.taking`
  const other = await take(guard)
  if (other !== undefined) return other
  try {
    if ((await read(path)) !== held) return "Again"
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
