/** The check of pages and walks finds out each mistake that is planted. */
import { assert, describe, it } from "@effect/vitest"
import * as Truth from "../../src/fleet/Truth.ts"

const FILLING = { clusters: 3, deployments: 40, pods: 0, podBytes: 0, delayMs: 0, isHeld: false }
const ALL = Truth.rowsOf(FILLING)
const SORTED = ALL.toSorted(Truth.comparing("cpuRequestMillis", "desc"))
const PAGE = SORTED.slice(0, 20)

const [first, second] = PAGE
if (first === undefined || second === undefined) throw new Error("no rows to plant mistakes into")
const behind = SORTED.slice(20, 21)
const rest = PAGE.slice(2)

describe("a page", () => {
  it("is right as it is", () => assert.isUndefined(Truth.faultOf(PAGE, PAGE)))

  it.each([
    ["a row is missing at the end", PAGE.slice(0, -1), "missing"],
    ["a row is missing, and the next has moved up", [...PAGE.slice(1), ...behind], "missing"],
    ["a row is there twice", [first, first, ...rest], "double"],
    ["a row too many", [...PAGE, ...behind], "not to be there"],
    ["two rows have changed places", [second, first, ...rest], "out of order"],
    ["all rows are reversed", PAGE.toReversed(), "out of order"],
    ["a row has another status", [{ ...first, status: "paused" }, second, ...rest], "another status"],
    ["a row has another size", [{ ...first, cpuRequestMillis: 1 }, second, ...rest], "another cpuRequestMillis"]
  ])("is found out where %s", (_, rows, fault) => {
    assert.match(Truth.faultOf(rows, PAGE) ?? "", new RegExp(`^${fault}: cluster-`))
  })
})

describe("a walk", () => {
  const walk = { sort: "cpuRequestMillis", order: "desc", mayBe: ({ name }: Truth.Row) => name === "churn" } as const
  const guest = { ...second, id: "guest", name: "churn" }

  it("is right with and without rows that came and went", () => {
    assert.isUndefined(Truth.walkFaultOf(SORTED, ALL, walk))
    const withGuest = [...SORTED, guest].toSorted(Truth.comparing(walk.sort, walk.order))
    assert.isUndefined(Truth.walkFaultOf(withGuest, ALL, walk))
  })

  it.each([
    ["a row is missing between two pages", SORTED.toSpliced(20, 1), "missing"],
    ["a page is missing", SORTED.toSpliced(20, 20), "missing"],
    ["a row is on two pages", [...SORTED.slice(0, 21), ...SORTED.slice(20)], "double"],
    ["two rows have changed places", [second, first, ...SORTED.slice(2)], "out of order"],
    ["a row is there that nobody made", [...SORTED, { ...first, id: "new" }], "not to be there"]
  ])("is found out where %s", (_, rows, fault) => {
    assert.match(Truth.walkFaultOf(rows, ALL, walk) ?? "", new RegExp(`^${fault}: cluster-`))
  })
})
