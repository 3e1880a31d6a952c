import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as listProgress from "../../src/kube/ListProgress.ts"

const bounds: listProgress.ListBounds = { maxObjects: 500_000, listMs: 600_000, pageBytes: 1_000 }
const begun = listProgress.begin(0)

/** Turns pages until the list ends, at most so many. */
const turned = (
  pageOf: (place: number) => listProgress.PageRead,
  most: number
): { readonly end: listProgress.Step["_tag"]; readonly pages: number } => {
  let progress = begun
  for (let place = 0; place < most; place++) {
    const step = listProgress.after(progress, pageOf(place), bounds)
    if (step._tag !== "Next") return { end: step._tag, pages: place + 1 }
    progress = step.progress
  }
  return { end: "Next", pages: most }
}

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))

describe("a list that is read page by page", () => {
  it.prop(
    "has no end when tokens come again, wherever and however late the first of them does",
    [Small, Small],
    ([prefix, more]) => {
      const cycle = more + 1
      const tokenOf = (place: number) => (place < prefix ? `p${place}` : `c${(place - prefix) % cycle}`)
      const { end, pages } = turned((place) => ({ objects: 1, bytes: 1, continueToken: tokenOf(place) }), 1_000)
      assert.strictEqual(end, "Endless")
      assert.isAtMost(pages, 3 * (prefix + cycle) + 2)
    }
  )

  it.prop("ends with the page that has no token, where no token comes again", [Small], ([more]) => {
    const pageOf = (place: number) => ({ objects: 1, bytes: 1, ...(place < more && { continueToken: `t${place}` }) })
    assert.deepStrictEqual(turned(pageOf, 1_000), { end: "Last", pages: more + 1 })
  })

  it("is given up beyond the objects that may be held, and not before", () => {
    const pageOf = (place: number) => ({ objects: 500, bytes: 1, continueToken: `t${place}` })
    assert.deepStrictEqual(turned(pageOf, 2_000), { end: "TooMany", pages: 1_001 })
    const last = (place: number) => ({ objects: 500, bytes: 1, ...(place < 999 && { continueToken: `t${place}` }) })
    assert.deepStrictEqual(turned(last, 2_000), { end: "Last", pages: 1_000 })
  })

  it("is given up after 100 pages without an object", () => {
    const pageOf = (place: number) => ({ objects: 0, bytes: 1, continueToken: `t${place}` })
    assert.deepStrictEqual(turned(pageOf, 2_000), { end: "Endless", pages: 101 })
  })

  it("halves a page down to one object, and lets it grow again where that fits", () => {
    const limits: Array<number | undefined> = []
    let progress: listProgress.ListProgress | undefined = begun
    while (progress !== undefined) {
      limits.push(progress.limit)
      progress = listProgress.halved(progress)
    }
    assert.deepStrictEqual(limits, [500, 250, 125, 62, 31, 15, 7, 3, 1])
    const limitAfter = (limit: number, bytes: number) => {
      const step = listProgress.after(listProgress.begin(0, limit), { objects: 1, bytes, continueToken: "t" }, bounds)
      return step._tag === "Next" ? step.progress.limit : step._tag
    }
    assert.strictEqual(limitAfter(1, 250), 2)
    assert.strictEqual(limitAfter(300, 10), 500)
    assert.strictEqual(limitAfter(1, 251), 1)
    assert.strictEqual(listProgress.halved(listProgress.whole(begun)), undefined)
  })
})
