import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { pod } from "../fixture/KubeObjects.ts"
import { answer, events, followed, forms, json, numbered, paged, scope } from "../fixture/PodPages.ts"
import { onServer, type Script } from "../fixture/ScriptedServer.ts"

const EXPIRED = JSON.stringify({ kind: "Status", status: "Failure", code: 410, reason: "Expired", message: "too old" })

const expired = (response: ServerResponse): void => {
  response.writeHead(410, { "content-type": "application/json" })
  response.end(EXPIRED)
}

/** Answers as a server without watch-list, and lists by the script. */
const listing =
  (script: Script): Script =>
  (query, response, request) => {
    if (query.has("watch")) paged(json, 0)(query, response, request)
    else script(query, response, request)
  }

const listed = (cluster: Cluster) =>
  KubeApi.use((api) => Stream.runCollect(api.list(cluster, scope))).pipe(
    Effect.map((pages) => pages.flat().map(({ metadata }) => metadata.name))
  )
const ways = {
  list: (cluster: Cluster) => Effect.asVoid(listed(cluster)),
  follow: (cluster: Cluster) => Stream.runDrain(followed(cluster))
}
const limits = (asked: ReadonlyArray<URLSearchParams>) => asked.map((query) => query.get("limit"))

for (const [way, read] of Object.entries(ways)) {
  for (const [name, form] of Object.entries(forms)) {
    describe(`${way} of ${name}`, () => {
      it.live("ends when the server gives the same page for ever", () =>
        onServer(
          listing((_, response) => answer(response, form, form.list(numbered(0, 500), "same"))),
          ({ asked, cluster }) =>
            Effect.gen(function* () {
              const error = yield* Effect.flip(read(cluster))
              assert.strictEqual(error.message, "cluster test sends a list of pods that does not end")
              assert.isAtMost(asked.length, 4)
            })
        )
      )

      it.live("ends when the server makes up pages for ever", () =>
        onServer(
          listing((query, response) => {
            const from = Number(query.get("continue") ?? 0)
            answer(response, form, form.list(numbered(from, 500), String(from + 500)))
          }),
          ({ asked, cluster }) =>
            Effect.gen(function* () {
              const error = yield* Effect.flip(read(cluster))
              assert.strictEqual(error.message, "cluster test has more than 2000 objects of pods (fanOut.maxObjects)")
              assert.isAtMost(asked.length, 7)
            }),
          { maxObjects: 2_000 }
        )
      )
    })
  }

  describe(`${way} of any form`, () => {
    it.live("ends when pages have no objects", () =>
      onServer(
        listing((query, response) =>
          answer(response, json, json.list([], String(Number(query.get("continue") ?? 0) + 1)))
        ),
        ({ cluster }) =>
          Effect.map(Effect.flip(read(cluster)), ({ message }) =>
            assert.strictEqual(message, "cluster test sends a list of pods that does not end")
          )
      )
    )

    it.live("ends when the pages take longer than a list may", () =>
      onServer(
        listing((query, response) => {
          const from = Number(query.get("continue") ?? 0)
          answer(response, json, json.list(numbered(from, 1), String(from + 1)))
        }),
        ({ cluster }) =>
          Effect.map(Effect.flip(read(cluster)), ({ reason }) =>
            assert.deepInclude(reason, { _tag: "ClusterTimeout", timeoutMs: 200 })
          ),
        { follow: { listMs: 200 } }
      )
    )

    it.live("refuses a continue token that no query has room for", () =>
      onServer(
        listing((_, response) => answer(response, json, json.list([], "x".repeat(20_000)))),
        ({ cluster }) =>
          Effect.map(Effect.flip(read(cluster)), ({ message }) =>
            assert.strictEqual(
              message,
              "cluster test sent an invalid answer: the list's continue token is longer than 16384 characters"
            )
          )
      )
    )

    it.live("names an object that is longer than a page may be", () =>
      onServer(
        (query, response, request) => {
          const isMetadata = request.headers.accept?.includes("as=PartialObjectMetadataList") === true
          const large = { ...pod("large"), text: "x".repeat(20_000) }
          paged(json, 3, (place) => (place === 1 && !isMetadata ? large : pod(["a", "large", "b"][place] ?? "")))(
            query,
            response,
            request
          )
        },
        ({ cluster }) =>
          Effect.map(Effect.flip(read(cluster)), ({ message }) =>
            assert.strictEqual(
              message,
              "cluster test has an object of pods that is longer than 10000 bytes: default/large"
            )
          ),
        { answerBytes: 10_000 }
      )
    )
  })
}

describe("a continue token that expires", () => {
  const onceExpired =
    (isExpired: () => boolean): Script =>
    (query, response, request) => {
      if (query.has("continue") && isExpired()) expired(response)
      else paged(json, 1_200)(query, response, request)
    }

  it.live("has the whole list read at once, with each object once", () =>
    onServer(
      onceExpired(() => true),
      ({ asked, cluster }) =>
        Effect.gen(function* () {
          const names = yield* listed(cluster)
          assert.lengthOf(names, 1_200)
          assert.strictEqual(new Set(names).size, 1_200)
          assert.deepStrictEqual(limits(asked), ["500", "500", null])
        })
    )
  )

  it.live("has what was followed begin anew, without a wait", () =>
    onServer(
      onceExpired(() => true),
      ({ asked, cluster }) =>
        Effect.gen(function* () {
          const told = yield* events(cluster, 500 + 1 + 1_200 + 1)
          assert.strictEqual(told[500], "Restart")
          assert.strictEqual(told.at(-1), "Synced 5")
          assert.deepStrictEqual(limits(asked).slice(1, 4), ["500", "500", null])
        }),
      { follow: { firstBackoffMs: 60_000 } }
    )
  )

  it.live("fails where the whole list is longer than an answer may be", () =>
    onServer(
      onceExpired(() => true),
      ({ asked, cluster }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(listed(cluster))
          assert.strictEqual(error.message, "cluster test sends an answer of pods that is longer than 200000 bytes")
          assert.strictEqual(limits(asked).at(-1), null)
        }),
      { answerBytes: 200_000 }
    )
  )
})

describe("pages that are longer than an answer may be", () => {
  for (const [name, form] of Object.entries(forms)) {
    it.live(`are asked for with fewer objects, and so is the next list: ${name}`, () =>
      onServer(
        paged(form, 600),
        ({ asked, cluster }) =>
          Effect.gen(function* () {
            assert.strictEqual(new Set(yield* listed(cluster)).size, 600)
            const [first, second] = limits(asked)
            assert.deepStrictEqual([first, second], ["500", "250"])
            const count = asked.length
            assert.strictEqual((yield* listed(cluster)).length, 600)
            assert.notInclude(limits(asked.slice(count)), "500")
          }),
        { answerBytes: form === json ? 80_000 : 40_000 }
      )
    )
  }
})
