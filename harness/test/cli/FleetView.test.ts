import { assert, describe, it } from "@effect/vitest"
import { tableOf } from "../../src/cli/FleetView.ts"

const hub = { name: "hub", server: "https://127.0.0.1:1", isReady: true, objects: 12 }
const eu = { name: "eu", server: "https://127.0.0.1:2", isReady: false }

describe("the table of a held fleet", () => {
  it("has a column of requests where any cluster's are known, and none where no server counts", () => {
    assert.deepStrictEqual(tableOf([{ ...hub, requests: 7 }, eu]), [
      "CLUSTER  STATE  OBJECTS  REQUESTS  SERVER",
      "hub      ready  12       7         https://127.0.0.1:1",
      "eu       down   -        -         https://127.0.0.1:2"
    ])
    assert.deepStrictEqual(tableOf([hub, eu]), [
      "CLUSTER  STATE  OBJECTS  SERVER",
      "hub      ready  12       https://127.0.0.1:1",
      "eu       down   -        https://127.0.0.1:2"
    ])
  })
})
