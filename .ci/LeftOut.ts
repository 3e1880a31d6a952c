/**
 * A vitest reporter that ends its output with the drivers and programs whose tests the run left out.
 *
 * A test with the name `is left out: <reason>` replaces tests that cannot run. The harness's own reporter prints the drivers,
 * in a separate process, because vitest loads its configuration without the export condition `@quarterdeck/source`.
 */
import { spawnSync } from "node:child_process"
import type { Reporter } from "vitest/node"

const DRIVERS = `
  import { LeftOutDrivers } from "@quarterdeck/harness/vitest/LeftOutDrivers"
  await new LeftOutDrivers().onTestRunEnd()`

const LEFT_OUT = "is left out: "

export class LeftOut implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules) => {
    const names = modules.flatMap(({ children }) => [...children.allTests()].map(({ name }) => name))
    const reasons = names.filter((name) => name.startsWith(LEFT_OUT)).map((name) => name.slice(LEFT_OUT.length))
    if (reasons.length > 0) process.stdout.write(`tests left out: ${[...new Set(reasons)].toSorted().join("; ")}\n`)
    const node = ["--conditions=@quarterdeck/source", "--input-type=module", "--eval", DRIVERS]
    spawnSync(process.execPath, node, { stdio: "inherit" })
  }
}
