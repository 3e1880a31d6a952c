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
  "harness/test/conformance/Conformance.test.ts": 154,
  "harness/test/leftovers/Leftovers.test.ts": 129,
  "packages/http-server/test/e2e/faults.test.ts": 94,
  "packages/http-server/test/e2e/dashboardData.test.ts": 85,
  "packages/http-server/test/e2e/costsOfFleet.test.ts": 82,
  "packages/cost/test/store/clickhouse/ClickHouse.test.ts": 72,
  "packages/http-server/test/e2e/dashboard.test.ts": 57,
  "harness/test/drivers/embedded/Embedded.test.ts": 57,
  "harness/test/drivers/k3s/K3s.test.ts": 53,
  "packages/http-server/test/e2e/dashboardLive.test.ts": 48,
  "harness/test/state/ApiReset.test.ts": 39,
  "harness/test/cli/HeldFleets.test.ts": 35,
  "packages/http-server/test/e2e/dashboardKeys.test.ts": 35,
  "harness/test/life/kubelet/FakeKubelet.test.ts": 33,
  "harness/test/faults/OnDrivers.test.ts": 33,
  "harness/test/drivers/control-plane/ControlPlane.test.ts": 30,
  "packages/http-server/test/image/InPod.test.ts": 30,
  "harness/test/life/seed/Seed.test.ts": 30,
  "packages/helm-chart/test/applied.test.ts": 29,
  "harness/test/state/Save.test.ts": 28,
  "packages/http-server/test/e2e/dashboardRegister.test.ts": 26,
  "packages/http-server/test/e2e/leastRole.test.ts": 26,
  "packages/http-server/test/e2e/operating.test.ts": 26,
  "packages/http-server/test/e2e/outages.test.ts": 25,
  "harness/test/vitest/Runs.test.ts": 23,
  "packages/http-server/test/e2e/dashboardAudit.test.ts": 23,
  "harness/test/state/Reset.test.ts": 22,
  "packages/http-server/test/e2e/actionsLost.test.ts": 21,
  "packages/http-server/test/e2e/dashboardBulk.test.ts": 21,
  "packages/http-server/test/e2e/reload.test.ts": 20,
  "packages/http-server/test/e2e/silence.test.ts": 20,
  "packages/http-server/test/e2e/auditFailing.test.ts": 20,
  "harness/test/drivers/existing/Existing.test.ts": 18,
  "packages/http-server/test/e2e/lists.test.ts": 17,
  "packages/http-server/test/e2e/operatorRole.test.ts": 17,
  "packages/http-server/test/e2e/changes.test.ts": 17,
  "packages/http-server/test/e2e/dashboardCoverage.test.ts": 16,
  "harness/test/life/usage/Prometheus.test.ts": 16,
  "packages/http-server/test/image/Compose.test.ts": 15,
  "packages/http-server/test/e2e/dashboardOperate.test.ts": 15,
  "packages/http-server/test/e2e/events.test.ts": 14,
  "packages/http-server/test/e2e/costs.test.ts": 14,
  "packages/http-server/test/e2e/clusterStream.test.ts": 13,
  "packages/http-server/test/e2e/docsPage.test.ts": 13,
  "harness/test/state/Controllers.test.ts": 13,
  "packages/http-server/test/e2e/oneWorkload.test.ts": 13,
  "packages/http-server/test/cli/Program.test.ts": 13,
  "packages/cost/test/store/sqlite/Sqlite.test.ts": 12,
  "packages/http-server/test/e2e/streamEnds.test.ts": 12,
  "packages/helm-chart/test/installed.test.ts": 12,
  "packages/http-server/test/e2e/pods.test.ts": 12,
  "packages/http-server/test/e2e/costOutages.test.ts": 12
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
