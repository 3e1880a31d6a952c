import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { pod } from "../fixture/KubeObjects.ts"
import { events, followed, forms, json, numbered, paged } from "../fixture/PodPages.ts"
import { onServer } from "../fixture/ScriptedServer.ts"

describe("a watch-list", () => {
  it.live("without end mark gives way to a list, however many bookmarks come", () =>
    onServer(
      (query, response, request) => {
        if (!query.has("sendInitialEvents")) return paged(json, 2)(query, response, request)
        response.writeHead(200, { "content-type": "application/json" })
        response.write(json.event("ADDED", pod("p0")))
        const mark = setInterval(() => response.write(json.event("BOOKMARK", pod("mark"))), 10)
        response.on("close", () => clearInterval(mark))
      },
      ({ cluster }) =>
        Effect.map(events(cluster, 5), (told) =>
          assert.deepStrictEqual(told, ["Put p0@1", "Restart", "Put p0@1", "Put p1@1", "Synced 5"])
        ),
      { follow: { initialSilenceMs: 150 } }
    )
  )

  for (const [name, form] of Object.entries(forms)) {
    it.live(`of objects without end fails, and little more is read than may be held: ${name}`, () => {
      let bytes = 0
      return onServer(
        (_, response) => {
          response.writeHead(200, { "content-type": form.contentType })
          const piece = Buffer.concat(numbered(0, 50).map((each) => form.event("ADDED", each)))
          const more = () => {
            while (response.write(piece)) bytes += piece.length
          }
          response.on("drain", more)
          more()
        },
        ({ cluster }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(Stream.runDrain(followed(cluster)))
            assert.strictEqual(error.message, "cluster test has more than 20000 objects of pods (fanOut.maxObjects)")
            const held = 2 * 20_000 * form.event("ADDED", pod("p10")).length
            assert.isBelow(bytes, held + 8 * 1024 * 1024)
          }),
        { maxObjects: 20_000 }
      )
    })
  }
})

describe("a watch whose head is held back", () => {
  it.live("gives way to a list, again and again, so that changes are seen", () => {
    let count = 1
    return onServer(
      (query, response, request) => {
        if (!query.has("watch")) paged(json, count++)(query, response, request)
      },
      ({ asked, cluster }) =>
        Effect.gen(function* () {
          const told = yield* events(cluster, 8)
          assert.deepStrictEqual(told, [
            "Restart",
            "Put p0@1",
            "Synced 5",
            "Restart",
            "Put p0@1",
            "Put p1@1",
            "Synced 5",
            "Restart"
          ])
          assert.strictEqual(asked.filter((query) => query.has("sendInitialEvents")).length, 1)
        }),
      { follow: { initialHeadMs: 100, headMs: 100 } }
    )
  })
})
