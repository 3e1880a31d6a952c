import { registerHooks } from "node:module"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LeftOut } from "./.ci/LeftOut.ts"

// Test files and the programs that they start share one compile cache.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))

/** Tests that leave no state in their process. They share processes, so that each module is loaded once. */
const small = [
  "packages/{benchmarks,cluster-fanout,contract,dashboard,embedded-cluster,http-server,keys,sqlite-thread,targeting}/test/**/*.test.ts",
  // One file of `hour` replaces modules of Node. The ClickHouse server lives as long as its process.
  "packages/cost/test/{allocation,export,price,report,sampler,savings,store/sqlite,usage}/**/*.test.ts",
  "packages/cost/test/{*,hour/Instant,store/*}.test.ts",
  "harness/test/{client,conformance,faults,fleet,life,state,tasks}/**/*.test.ts",
  "harness/test/cli/!(Assets|NodeVersion).test.ts",
  "harness/test/drivers/{Drivers,embedded/**/*,existing/KubeconfigFile,k3s/!(K3s),control-plane/assets/*}.test.ts",
  "harness/test/machine/*.test.ts",
  "examples/{embed-own-parts,mounting}/test/**/*.test.ts"
]

/** Tests in a browser. */
const pages = ["packages/http-server/test/e2e/{dashboard*,docsPage,oidc}.test.ts"]

/** Tests that borrow the clusters of the run, one file after the other. */
const borrowing = [
  "packages/http-server/test/e2e/{actions,changes,connections,costOutages,costs,events,faults,leastRole,lists,oneWorkload,operatorRole,outages,podStatus,pods,reload,targeting,workloadStream}.test.ts"
]

/** The export condition by which packages are read from their sources. */
const CONDITION = "@quarterdeck/source"

// vitest's own process imports the global setups, and starts without the condition.
registerHooks({
  resolve: (specifier, context, next) => next(specifier, { ...context, conditions: [...context.conditions, CONDITION] })
})

/**
 * Two files of these projects at a time, after all other files: more of them would wait for the same clusters, or keep two
 * processors busy with browsers.
 */
const twoAtATime = { isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } }

export default defineConfig({
  // Workers are started with these conditions, and with no other.
  ssr: { resolve: { conditions: [CONDITION], externalConditions: [CONDITION] } },
  test: {
    reporters: ["default", new LeftOut()],
    // What a test prints explains its failure, and nothing else.
    silent: "passed-only",
    projects: [
      { extends: true, test: { name: "small", include: small, exclude: [...pages, ...borrowing], isolate: false } },
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
          exclude: [...small, ...pages, ...borrowing]
        }
      }
    ],
    // Node imports the sources itself, which saves a translation of each file. Vite's module mocks do not work so.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most tests of clusters wait for other processes.
    maxWorkers: availableParallelism() + 2,
    // Long enough for a busy machine. Benchmarks, not tests, hold claims on speed.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
