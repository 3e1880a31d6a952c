/**
 * The order of test files: those that take longest first, so that none of them is left to run alone at the end.
 *
 * Where vitest kept durations of an earlier run it goes by them; the list stands in for them on a machine that has none.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const LONGEST = [
  "packages/http-server/test/e2e/costsOfFleet.test.ts",
  "harness/test/conformance/Conformance.test.ts",
  "harness/test/cli/HeldFleets.test.ts",
  "harness/test/leftovers/Leftovers.test.ts",
  "harness/test/state/ApiReset.test.ts",
  "packages/http-server/test/e2e/leastRole.test.ts",
  "packages/http-server/test/e2e/outages.test.ts",
  "harness/test/vitest/Runs.test.ts",
  "examples/demo/test/history.test.ts",
  "packages/cost/test/sampler/History.test.ts",
  "packages/cost/test/sampler/Embedded.test.ts",
  "packages/http-server/test/cli/Program.test.ts"
]

/** **Shape** past the list for a file that does not stand in it. */
const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`))
  return place === -1 ? LONGEST.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await BaseSequencer.prototype.sort.call(this, files)
    const hasDurations = files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)
    return hasDurations ? sorted : sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
