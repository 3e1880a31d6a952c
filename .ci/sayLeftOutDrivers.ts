/** The end of a run of vitest: which drivers it left out. `LeftOutDrivers.ts` starts it. */
import { LeftOutDrivers } from "@quarterdeck/harness/vitest/LeftOutDrivers"

await new LeftOutDrivers().onTestRunEnd()
