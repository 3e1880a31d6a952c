import { describe } from "@effect/vitest"
import { layerMemory } from "../../src/store/Memory.ts"
import { keepsKeys } from "./laws.ts"

describe("the key store in memory", () => {
  keepsKeys(layerMemory)
})
