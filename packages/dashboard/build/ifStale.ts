/**
 * Builds the pages for a program that runs from the sources, where they were never built or have changed since.
 */
import { stat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { build, DIST, ROOT } from "./build.ts"

/** What the pages are made of; the contract's own changes seldom concern them, and `pnpm dashboard:build` is at hand. */
const SOURCES = ["src", "build", "index.html", "package.json", "vite.config.ts"]

const changedAt = async (path: string): Promise<number> => (await stat(path)).mtimeMs

const newest = async (path: string): Promise<number> => {
  const found = await stat(path)
  if (!found.isDirectory()) return found.mtimeMs
  const entries = await readdir(path, { recursive: true })
  return Math.max(...(await Promise.all(entries.map((entry) => changedAt(join(path, entry))))))
}

const builtAt = await changedAt(join(DIST, "index.html")).catch(() => undefined)
const writtenAt = Math.max(...(await Promise.all(SOURCES.map((source) => newest(join(ROOT, source))))))

if (builtAt === undefined || builtAt < writtenAt) {
  process.stderr.write("building the dashboard, once\n")
  await build("warn")
}
