import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"], externalConditions: ["source"] } },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "harness/test/**/*.test.ts",
      "examples/*/test/**/*.test.ts",
      ".ci/test/**/*.test.ts"
    ],
    testTimeout: 30_000,
    hookTimeout: 120_000
  }
})
