/**
 * Builds the pages, all or nothing: a server that starts meanwhile finds the last ones or the new ones.
 */
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** The package's folder. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url))
/** What the server serves. */
export const DIST = fileURLToPath(new URL("../dist", import.meta.url))

/** Builds beside the place where the pages stand, and changes places at the end; several at once do not meet. */
export const build = async (logLevel: "info" | "warn"): Promise<void> => {
  const fresh = `${DIST}.${process.pid}`
  const stale = `${fresh}.old`
  // Loaded here alone: most programs that ask find the pages built.
  const { build: bundle } = await import("vite")
  try {
    await bundle({ root: ROOT, logLevel, build: { outDir: fresh, emptyOutDir: true } })
    if (existsSync(DIST)) await rename(DIST, stale)
    await rename(fresh, DIST)
  } finally {
    for (const folder of [fresh, stale]) await rm(folder, { recursive: true, force: true })
  }
}
