import { rename, writeFile } from "node:fs/promises"
import * as Owner from "./Owner.ts"

/**
 * Writes a file atomically, readable only by this user. If the process is killed, a draft may remain whose name ends
 * with its owner.
 */
export const write = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${Owner.print(await Owner.self())}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
}
