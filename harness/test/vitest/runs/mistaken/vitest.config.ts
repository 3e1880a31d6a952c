import { defineConfig } from "vitest/config"

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"], externalConditions: ["source"] } },
  test: { include: ["*.inner.ts"], testTimeout: 30_000 }
})
