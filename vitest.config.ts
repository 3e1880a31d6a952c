import { registerHooks } from "node:module"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LeftOut } from "./.ci/LeftOut.ts"

// Test files, and the programs that tests start, share one compile cache.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** Tests that leave no state in their process. They share processes, so each module is loaded once per process. */
const small = [
  "packages/{benchmarks,cluster-fanout,contract,dashboard,embedded-cluster,http-server,keys,sqlite-thread,targeting}/test/**/*.test.ts",
  // Leaves out `store/clickhouse`, whose server lives as long as its process, and `hour`, where one file replaces modules of
  // Node.
  "packages/cost/test/{allocation,export,price,report,sampler,savings,store/sqlite,usage}/**/*.test.ts",
  "packages/cost/test/{*,hour/Instant,store/*}.test.ts",
  "harness/test/{client,conformance,faults,fleet,simulation,state,tasks}/**/*.test.ts",
  "harness/test/cli/!(Assets|NodeVersion).test.ts",
  "harness/test/drivers/{Drivers,embedded/**/*,existing/KubeconfigFile,k3s/!(K3s),control-plane/assets/*}.test.ts",
  "harness/test/machine/*.test.ts",
  "examples/{embed-own-parts,mounting}/test/**/*.test.ts"
]

/** Tests in a browser. */
const pages = ["packages/http-server/test/e2e/{dashboard*,docsPage,oidc}.test.ts"]

/** Tests that use the shared clusters of the run, one file after the other. */
const borrowing = [
  "packages/http-server/test/e2e/{actions,changes,connections,costOutages,costs,events,faults,leastRole,lists,oneWorkload,operatorRole,outages,podStatus,pods,reload,targeting,workloadStream}.test.ts"
]

/** Tests with a bound on processor time, or on seconds within which a stream must say something. */
const timed = [
  "packages/cluster-fanout/test/{kube/LinearTime,registry/ProcessorTime}.test.ts",
  "packages/http-server/test/hostile/*.test.ts",
  "packages/http-server/test/e2e/streamEnds.test.ts"
]

/** The export condition that resolves packages to their sources. */
const CONDITION = "@quarterdeck/source"

// vitest's own process starts without the condition, but imports the global setups.
registerHooks({
  resolve: (specifier, context, next) => next(specifier, { ...context, conditions: [...context.conditions, CONDITION] })
})

/**
 * Runs two files of these projects at a time, after all other files. More files would wait for the same clusters, or occupy
 * too many processors with browsers.
 */
const twoAtATime = { isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } }

/** Runs one file at a time, last: other files would take processor time from it. */
const alone = { isolate: false, maxWorkers: 1, sequence: { groupOrder: 2 } }

export default defineConfig({
  // Workers start with these conditions only.
  ssr: { resolve: { conditions: [CONDITION], externalConditions: [CONDITION] } },
  test: {
    reporters: ["default", new LeftOut()],
    // The output of a test is only useful if the test fails.
    silent: "passed-only",
    projects: [
      {
        extends: true,
        test: { name: "small", include: small, exclude: [...pages, ...borrowing, ...timed], isolate: false }
      },
      {
        extends: true,
        test: {
          name: "borrowing",
          ...twoAtATime,
          include: borrowing,
          globalSetup: "./packages/http-server/test/e2e/fleets.setup.ts"
        }
      },
      { extends: true, test: { name: "pages", ...twoAtATime, include: pages } },
      { extends: true, test: { name: "timed", ...alone, include: timed } },
      {
        extends: true,
        test: {
          // vitest starts the projects of a group in the order of their names. Many of these files wait for other programs for
          // minutes. Started before `small`, they leave short files for the end of the group, which keep every worker busy.
          name: "isolated",
          include: [
            "packages/*/test/**/*.test.ts",
            "harness/test/**/*.test.ts",
            "examples/*/test/**/*.test.ts",
            ".ci/test/**/*.test.ts"
          ],
          exclude: [...small, ...pages, ...borrowing, ...timed]
        }
      }
    ],
    // Node imports the sources directly, without a transformation by Vite. Vite's module mocks do not work this way.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // More workers than processors, since most tests of clusters wait for other processes.
    maxWorkers: availableParallelism() + 2,
    // Long enough for a busy machine. Benchmarks, not tests, check speed.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
