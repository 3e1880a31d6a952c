/**
 * Atomic replacement of a file: a reader sees either the old or the new content.
 */
import { open, rename } from "node:fs/promises"

/** Replaces the content of a file. The new file has mode 0600, and its content is on the disk before the rename. */
export const replaceFile = async (path: string, content: string): Promise<void> => {
  const unfinished = `${path}.new`
  const file = await open(unfinished, "w", 0o600)
  try {
    await file.writeFile(content)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
