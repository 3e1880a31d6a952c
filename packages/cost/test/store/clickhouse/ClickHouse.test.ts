import { describe } from "@effect/vitest"
import * as Server from "./Server.ts"
import { keepsCosts } from "../contract.ts"

describe("the cost store in ClickHouse", () => {
  Server.tested(() => {
    keepsCosts(Server.stores, 6)
  })
})
