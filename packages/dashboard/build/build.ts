/**
 * Builds the pages and replaces them atomically: a server that starts during a build finds the old pages or the new ones.
 */
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("..", import.meta.url))
/** The folder that the server serves. */
export const DIST = fileURLToPath(new URL("../dist", import.meta.url))

/** Builds into a temporary folder and renames it at the end. Concurrent builds do not interfere. */
export const build = async (logLevel: "info" | "warn"): Promise<void> => {
  const fresh = `${DIST}.${process.pid}`
  const stale = `${fresh}.old`
  // Loaded on demand: most programs find the pages up to date and need no vite.
  const { build: bundle } = await import("vite")
  try {
    await bundle({ root: ROOT, logLevel, build: { outDir: fresh, emptyOutDir: true } })
    if (existsSync(DIST)) await rename(DIST, stale)
    await rename(fresh, DIST)
  } finally {
    for (const folder of [fresh, stale]) await rm(folder, { recursive: true, force: true })
  }
}
