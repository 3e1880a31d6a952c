/**
 * A vitest reporter that says last which drivers a run left out: the harness's own, which is read once the run is over, for
 * `vitest.config.ts` gives vitest's process the export condition of our sources only when it has read its imports.
 */
import type { Reporter } from "vitest/node"

export class LeftOutDrivers implements Reporter {
  readonly onTestRunEnd = async (): Promise<void> => {
    const { LeftOutDrivers } = await import("@quarterdeck/harness/vitest/LeftOutDrivers")
    await new LeftOutDrivers().onTestRunEnd()
  }
}
