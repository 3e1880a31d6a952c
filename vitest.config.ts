import { registerHooks } from "node:module"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LeftOutDrivers } from "./.ci/LeftOutDrivers.ts"
import { LeftOutTests } from "./.ci/LeftOutTests.ts"
import { LongestFirst } from "./.ci/LongestFirst.ts"

// Each file has a process of its own, and many start programs: what V8 compiled for one it need not for the next, which
// takes a fourth off the processor time of small files. Set before any of them starts, it goes to all of them.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/**
 * Tests that leave nothing behind in their process: they share one, so that what all of them import is read once. It takes
 * more than half of the processor time of a small file away.
 */
const small = [
  "packages/{benchmarks,cluster-fanout,contract,dashboard,embedded-cluster,http-server,keys,sqlite-thread,targeting}/test/**/*.test.ts",
  // Not all of `hour`, of which a file replaces modules of Node, and not ClickHouse, whose server lives as long as a process.
  "packages/cost/test/{allocation,export,price,report,sampler,savings,store/sqlite,usage}/**/*.test.ts",
  "packages/cost/test/{*,hour/Instant,store/*}.test.ts",
  "harness/test/{client,conformance,faults,fleet,life,state,tasks}/**/*.test.ts",
  "harness/test/cli/!(Assets|NodeVersion).test.ts",
  "harness/test/drivers/{Drivers,embedded/**/*,existing/KubeconfigFile,k3s/!(K3s),control-plane/assets/*}.test.ts",
  "harness/test/machine/*.test.ts",
  "examples/{embed-own-parts,mounting}/test/**/*.test.ts"
]

/** Tests in a browser: they share processes with one another, which import the service once, and with none that keep one busy. */
const pages = ["packages/http-server/test/e2e/{dashboard*,docsPage,oidc}.test.ts"]

/** Tests for which the run has clusters that they borrow: those of every driver, and those of the chart that want a real one. */
const borrowing = [
  "packages/http-server/test/e2e/{actions,changes,connections,costOutages,costs,events,faults,leastRole,lists,oneWorkload,operatorRole,outages,podStatus,pods,reload,targeting,workloadStream}.test.ts"
]

/** The export condition by which packages are read from their sources. */
const CONDITION = "@quarterdeck/source"

// Global setups are imported by vitest's own process, which nobody starts with the condition.
registerHooks({
  resolve: (specifier, context, next) => next(specifier, { ...context, conditions: [...context.conditions, CONDITION] })
})

export default defineConfig({
  // Workers are started with these conditions, and with no other.
  ssr: { resolve: { conditions: [CONDITION], externalConditions: [CONDITION] } },
  test: {
    reporters: ["default", new LeftOutDrivers(), new LeftOutTests()],
    sequence: { sequencer: LongestFirst },
    // What a test prints explains its failure, and nothing else.
    silent: "passed-only",
    projects: [
      { extends: true, test: { name: "small", include: small, exclude: [...pages, ...borrowing], isolate: false } },
      {
        extends: true,
        test: {
          name: "borrowing",
          include: borrowing,
          isolate: false,
          globalSetup: "./packages/http-server/test/e2e/fleets.setup.ts"
        }
      },
      { extends: true, test: { name: "pages", include: pages, isolate: false } },
      {
        extends: true,
        test: {
          name: "whole",
          include: [
            "packages/*/test/**/*.test.ts",
            "harness/test/**/*.test.ts",
            "examples/*/test/**/*.test.ts",
            ".ci/test/**/*.test.ts"
          ],
          exclude: [...small, ...borrowing]
        }
      }
    ],
    // Node imports the sources itself, as it does for whoever runs a program of them: Vite would translate each file once more,
    // and V8 keep nothing of what it compiled. A second less for every process that imports the service. Modules cannot
    // be mocked so; who wants one of Node replaced does it by Node's own means.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most tests of clusters wait for other processes: two workers more than processors, where the default keeps one free. With
    // one more the processors were idle for a sixth of the run.
    maxWorkers: availableParallelism() + 2,
    // What hangs ends; how fast something is, benchmarks say. A busy machine takes many times what an idle one does.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
