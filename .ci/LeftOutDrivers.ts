/**
 * A vitest reporter that says last which drivers a run left out, in the words of the harness's own reporter.
 *
 * That one runs in a process of its own: what `vitest.config.ts` imports is read without the export condition `@quarterdeck/source`,
 * so it would not find our packages before they are built.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Reporter } from "vitest/node"

const PROGRAM = fileURLToPath(new URL("sayLeftOutDrivers.ts", import.meta.url))

export class LeftOutDrivers implements Reporter {
  readonly onTestRunEnd = (): void => {
    spawnSync(process.execPath, ["--conditions=@quarterdeck/source", PROGRAM], { stdio: "inherit" })
  }
}
