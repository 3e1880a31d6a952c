/**
 * Has vitest begin those test files first that take longest.
 *
 * Where vitest kept durations of an earlier run it goes by them; a list stands in for them on a machine that has none.
 */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { inOrder } from "./FileOrder.ts"

/** **Units** seconds, on two processors, with every driver; of suites that borrow clusters without the wait for them. */
const SECONDS: Readonly<Record<string, number>> = {
  "harness/test/conformance/Conformance.test.ts": 210,
  "harness/test/leftovers/Leftovers.test.ts": 140,
  "packages/http-server/test/e2e/dashboardData.test.ts": 130,
  "packages/http-server/test/e2e/faults.test.ts": 125,
  "packages/http-server/test/e2e/costsOfFleet.test.ts": 90,
  "harness/test/drivers/embedded/Embedded.test.ts": 70,
  "packages/http-server/test/e2e/dashboard.test.ts": 65,
  "harness/test/drivers/k3s/K3s.test.ts": 60,
  "packages/cost/test/store/clickhouse/ClickHouse.test.ts": 60,
  "harness/test/state/ApiReset.test.ts": 60,
  "packages/http-server/test/e2e/leastRole.test.ts": 55,
  "harness/test/cli/HeldFleets.test.ts": 50,
  "harness/test/state/Reset.test.ts": 40,
  "harness/test/drivers/control-plane/ControlPlane.test.ts": 38,
  "harness/test/vitest/Runs.test.ts": 37,
  "harness/test/life/seed/Seed.test.ts": 37,
  "harness/test/faults/OnDrivers.test.ts": 36,
  "harness/test/life/kubelet/FakeKubelet.test.ts": 35,
  "harness/test/state/Save.test.ts": 35,
  "packages/http-server/test/e2e/dashboardKeys.test.ts": 33,
  "harness/test/drivers/existing/Existing.test.ts": 32,
  "packages/cost/test/store/sqlite/SqliteRepair.test.ts": 29,
  "packages/http-server/test/cli/Program.test.ts": 28,
  "packages/http-server/test/e2e/outages.test.ts": 22,
  "packages/cost/test/store/sqlite/Sqlite.test.ts": 22,
  "packages/cost/test/sampler/Restart.test.ts": 21,
  "packages/http-server/test/e2e/silence.test.ts": 20,
  "packages/http-server/test/e2e/auditFailing.test.ts": 20,
  "harness/test/life/usage/Prometheus.test.ts": 19,
  "packages/http-server/test/e2e/dashboardCoverage.test.ts": 19,
  "packages/cost/test/store/clickhouse/ClickHouseShared.test.ts": 16,
  "packages/cost/test/sampler/History.test.ts": 15,
  "examples/demo/test/history.test.ts": 12
}
/** Any other file. */
const ELSE = 5

export class LongestFirst extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const { cache, config } = this.ctx
    const known = files.map((file) => {
      const { moduleId, project } = file
      const before = cache.getTestSpecificationResult(file)
      const seconds =
        before === undefined ? (SECONDS[relative(config.root, moduleId)] ?? ELSE) : before.duration / 1_000
      return { file, project: project.name, seconds }
    })
    return Promise.resolve(inOrder(known, config.maxWorkers).map(({ file }) => file))
  }
}
