/** Files that are there whole or not at all. */
import { rename, writeFile } from "node:fs/promises"
import * as Owner from "./Owner.ts"

/** Writes a file for its user alone; a draft that is left when this process is killed ends with the process's name. */
export const write = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${Owner.print(await Owner.self())}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
}
