import { defineConfig } from "vitest/config"

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"], externalConditions: ["source"] } },
  // Global setups run in an environment of vitest's own.
  environments: { __vitest__: { resolve: { conditions: ["source"], externalConditions: ["source"] } } },
  test: { globalSetup: ["./fleet.setup.ts", "./lent.setup.ts"], include: ["*.inner.ts"], testTimeout: 30_000 }
})
