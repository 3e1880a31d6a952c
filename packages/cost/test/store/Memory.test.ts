import { describe } from "@effect/vitest"
import { layerMemory } from "../../src/store/Memory.ts"
import { keepsCosts } from "./contract.ts"

describe("the cost store in memory", () => {
  keepsCosts(layerMemory, 50)
})
