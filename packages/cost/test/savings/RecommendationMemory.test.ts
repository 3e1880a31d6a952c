import { describe } from "@effect/vitest"
import { layerMemory } from "../../src/store/RecommendationMemory.ts"
import { keepsRecommendations } from "./keepsRecommendations.ts"

describe("recommendations in memory", () => {
  keepsRecommendations(layerMemory, 50)
})
