/**
 * A vitest reporter that says last what a run left out for want of a program, and what would bring it.
 *
 * Where tests are left out, one stands in their place whose name says why: `is left out: there is no …`.
 */
import type { Reporter } from "vitest/node"

const LEFT_OUT = "is left out: "

export class LeftOutTests implements Reporter {
  readonly onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules) => {
    const names = modules.flatMap(({ children }) => [...children.allTests()].map(({ name }) => name))
    const reasons = names.filter((name) => name.startsWith(LEFT_OUT)).map((name) => name.slice(LEFT_OUT.length))
    if (reasons.length > 0) process.stdout.write(`tests left out: ${[...new Set(reasons)].toSorted().join("; ")}\n`)
  }
}
