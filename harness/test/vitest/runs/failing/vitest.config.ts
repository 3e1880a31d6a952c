import { defineConfig } from "vitest/config"

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["@quarterdeck/source"] },
  ssr: { resolve: { conditions: ["@quarterdeck/source"], externalConditions: ["@quarterdeck/source"] } },
  test: { include: ["*.inner.ts"], testTimeout: 30_000 }
})
