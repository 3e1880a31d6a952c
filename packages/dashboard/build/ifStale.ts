/**
 * Builds the pages for a program that runs from the sources, if they are missing or older than their sources.
 */
import { stat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { build, DIST, ROOT } from "./build.ts"

/** Inputs of the build. The contract is left out: after a change there, run `pnpm dashboard:build`. */
const SOURCES = ["src", "build", "index.html", "package.json", "vite.config.ts"]

const changedAt = async (path: string): Promise<number> => (await stat(path)).mtimeMs

const newest = async (path: string): Promise<number> => {
  const info = await stat(path)
  if (!info.isDirectory()) return info.mtimeMs
  const entries = await readdir(path, { recursive: true })
  return Math.max(...(await Promise.all(entries.map((entry) => changedAt(join(path, entry))))))
}

const builtAt = await changedAt(join(DIST, "index.html")).catch(() => undefined)
const writtenAt = Math.max(...(await Promise.all(SOURCES.map((source) => newest(join(ROOT, source))))))

if (builtAt === undefined || builtAt < writtenAt) {
  process.stderr.write("building the dashboard\n")
  await build("warn")
}
