/**
 * A file that one process at a time may have, and that is free again when its process has died.
 *
 * @since 0.1.0
 */
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
  const draft = `${path}.${mine}`
  await writeFile(draft, mine)
  try {
    await link(draft, path)
    return undefined
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
  } finally {
    await rm(draft, { force: true })
  }
  const held = await readFile(path, "utf8").catch(() => "")
  const owner = Owner.parse(held)
  if (owner !== undefined && (await Owner.stateOf(owner)) !== "dead") return owner
  await discard(path, held)
  return await take(path)
}

/** Gives the owner that a lock names; undefined when there is no lock, or none that names one. */
export const ownerOf = async (path: string): Promise<Owner.Owner | undefined> =>
  Owner.parse(await readFile(path, "utf8").catch(() => ""))

/** Gives the lock back. */
export const release = (path: string): Promise<void> => rm(path, { force: true })

/** Removes a dead owner's lock, and puts back what it finds instead if somebody was faster. */
const discard = async (path: string, held: string): Promise<void> => {
  const aside = `${path}.aside.${Owner.print(await Owner.self())}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, "utf8")) !== held) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}
