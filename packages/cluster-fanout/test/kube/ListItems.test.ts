import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result, Schema, Stream } from "effect"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import { parseJson, toPage } from "../../src/kube/KubeObjectJson.ts"
import * as listItems from "../../src/kube/ListItems.ts"
import { Transport } from "../../src/kube/Transport.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { pod } from "../fixture/KubeObjects.ts"
import { countingTurns, ticking } from "../fixture/Turns.ts"

/** What an item may hold, and mislead who looks for the ends of items. */
const Inside = Schema.Union([
  Schema.String,
  Schema.Literals(['},{"metadata":', '"items":[', '{"metadata":{}},{"metadata":{}}', "é", "]}", '\\"},{'])
])
const Item = Schema.Struct({
  name: Schema.String,
  /** **Shape** each makes objects in the item that begin as items do. */
  nested: Schema.Array(Inside),
  note: Inside,
  isObject: Schema.Literals([true, true, true, true, true, false])
})
const Page = Schema.Struct({
  items: Schema.Array(Item),
  leading: Schema.Literals(["metadata", "kind", "apiVersion"]),
  form: Schema.Literals(["typed", "sorted", "indented", "nested", "none"]),
  token: Schema.String
})

const text = ({ form, items, leading, token }: typeof Page.Type): string => {
  const metadata = { resourceVersion: "5", continue: token }
  const written = items.map(({ isObject, name, nested, note }) => {
    const content = { ...(isObject && { metadata: { name, uid: name, resourceVersion: "1" } }), note }
    const list = nested.map((inside) => ({ [leading]: inside, note: inside }))
    return leading === "metadata" ? { ...content, list } : { [leading]: "x", ...content, list }
  })
  switch (form) {
    case "typed":
      return `${JSON.stringify({ kind: "PodList", metadata, items: written })}\n`
    case "sorted":
      return JSON.stringify({ apiVersion: "v1", items: written, kind: "PodList", metadata })
    case "indented":
      return JSON.stringify({ metadata, items: written }, undefined, 2)
    case "nested":
      return JSON.stringify({ other: { items: [{ metadata }, { metadata }] }, metadata, items: written })
    case "none":
      return JSON.stringify({ metadata, items: null })
  }
}

const readAll = (body: Buffer) => {
  const reading = listItems.read(body)
  let steps = 1
  while (reading.step()) steps++
  return { page: reading.page(), steps }
}

const atOnce = (body: Buffer) => Result.flatMap(parseJson(body), toPage)

const pods = Array.from({ length: 500 }, (_, index) => pod(`p${index}`))
const pageOf500 = Buffer.from(JSON.stringify({ kind: "PodList", metadata: { resourceVersion: "5" }, items: pods }))

describe("ListItems", () => {
  it.prop("reading item by item gives what reading all at once gives", [Page], ([page]) => {
    const body = Buffer.from(text(page))
    assert.deepStrictEqual(readAll(body).page, atOnce(body))
  })

  it.prop(
    "so it does of a page that was cut off or changed on the way",
    [Page, Schema.Natural, Schema.Boolean],
    (given) => {
      const [page, at, isCut] = given
      const whole = Buffer.from(text(page))
      const place = at % whole.length
      const body = isCut
        ? whole.subarray(0, place)
        : Buffer.concat([whole.subarray(0, place), Buffer.from("]"), whole.subarray(place)])
      const read = readAll(body).page
      const expected = atOnce(body)
      assert.strictEqual(Result.isSuccess(read), Result.isSuccess(expected))
      if (Result.isSuccess(read)) assert.deepStrictEqual(read, expected)
    }
  )

  it("each item of what servers write is a step of its own", () => {
    assert.strictEqual(readAll(pageOf500).steps, 500)
  })

  it.live("a page is read in as many turns of the loop as its items fill", () =>
    Effect.gen(function* () {
      const api = yield* KubeApi
      const list = Stream.runCollect(api.list(clusterOf("c"), { resource: Kind.resources.Pod }))
      const { pages, turns } = yield* countingTurns((turn) => Effect.map(list, (pages) => ({ pages, turns: turn() })))
      assert.strictEqual(pages.flat().length, 500)
      assert.isAtLeast(turns, 500 / 4)
    }).pipe(
      Effect.provide(
        KubeApi.layerNoDeps.pipe(
          Layer.provide(
            Layer.mock(Transport, {
              call: () => Effect.succeed({ status: 200, contentType: "application/json", body: pageOf500 })
            })
          )
        )
      ),
      Effect.provideServiceEffect(Clock.Clock, ticking)
    )
  )
})
