import { defineConfig } from "vitest/config"

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["@quarterdeck/source"] },
  ssr: { resolve: { conditions: ["@quarterdeck/source"], externalConditions: ["@quarterdeck/source"] } },
  // Global setups run in an environment of vitest's own.
  environments: {
    __vitest__: { resolve: { conditions: ["@quarterdeck/source"], externalConditions: ["@quarterdeck/source"] } }
  },
  test: { globalSetup: ["./fleet.setup.ts", "./lent.setup.ts"], include: ["*.inner.ts"], testTimeout: 30_000 }
})
