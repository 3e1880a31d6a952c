/**
 * Gives a file a new content in one step: a reader sees the old one or the new one.
 */
import { open, rename } from "node:fs/promises"

/** Replaces the content of a file, which has mode 0600; the new content is on the disk before the file has it. */
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
