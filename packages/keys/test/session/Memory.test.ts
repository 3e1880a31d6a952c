import { describe } from "@effect/vitest"
import { layerMemory } from "../../src/session/Memory.ts"
import { keepsSessions } from "./contract.ts"

describe("the store of sessions in memory", () => {
  keepsSessions(layerMemory)
})
