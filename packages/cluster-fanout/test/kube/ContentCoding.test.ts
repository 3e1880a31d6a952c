import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { constants, createGzip, deflateSync, gzipSync } from "node:zlib"
import * as Coverage from "../../src/kube/Coverage.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { KubeApi } from "../../src/kube/KubeApi.ts"
import type { Cluster } from "../../src/registry/Cluster.ts"
import { pod } from "../fixture/KubeObjects.ts"
import { onServer } from "../fixture/ScriptedServer.ts"

const scope = { resource: Kind.resources.Pod }
const listOf = (...names: ReadonlyArray<string>) =>
  JSON.stringify({ metadata: { resourceVersion: "5" }, items: names.map((name) => pod(name)) })
const coded = (coding: string, body: Buffer) => (_: URLSearchParams, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json", "content-encoding": coding })
  response.end(body)
}
const names = (cluster: Cluster) =>
  KubeApi.use((api) => Stream.runCollect(api.list(cluster, scope))).pipe(
    Effect.map((pages) => pages.flat().map(({ metadata }) => metadata.name))
  )

describe("an answer that is compressed though it was not asked for", () => {
  for (const coding of ["gzip", "x-gzip", "GZIP"]) {
    it.live(`is read when it is ${coding}`, () =>
      onServer(coded(coding, gzipSync(listOf("a", "b"))), ({ cluster }) =>
        Effect.map(names(cluster), (read) => assert.deepStrictEqual(read, ["a", "b"]))
      )
    )
  }

  it.live("is read when it comes in small pieces, and of several parts", () =>
    onServer(
      (_, response) => {
        const text = Buffer.from(listOf(...Array.from({ length: 500 }, (_, place) => `p${place}`)))
        const bytes = Buffer.concat([gzipSync(text.subarray(0, 1_000)), gzipSync(text.subarray(1_000))])
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        for (let at = 0; at < bytes.length; at += 100) response.write(bytes.subarray(at, at + 100))
        response.end()
      },
      ({ cluster }) => Effect.map(names(cluster), (read) => assert.lengthOf(read, 500))
    )
  )

  it.live("is read event by event when it is a watch", () =>
    onServer(
      (query, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        if (!query.has("watch")) return void response.end(gzipSync(listOf()))
        const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
        gzip.pipe(response)
        gzip.write(`${JSON.stringify({ type: "ADDED", object: pod("a") })}\n`)
      },
      ({ cluster }) =>
        Effect.gen(function* () {
          const api = yield* KubeApi
          const [first] = yield* Stream.runCollect(Stream.take(api.follow(cluster, scope), 1))
          assert.strictEqual(first?.[0]?._tag, "Put")
        })
    )
  )

  it.live("is refused in a sentence when it is anything else", () =>
    Effect.gen(function* () {
      const refused = { br: "br", deflate: "deflate", "gzip, gzip": "another coding", zstd: "zstd" }
      for (const [coding, name] of Object.entries(refused)) {
        const error = yield* Effect.flip(
          onServer(coded(coding, deflateSync(listOf("a"))), ({ cluster }) => names(cluster))
        )
        assert.strictEqual(error.reason._tag, "ClusterAnswerInvalid")
        const sentence = `cluster test sends answers compressed as ${name}; the API server, or the proxy in front of it, must send them uncompressed or as gzip`
        assert.strictEqual(error.message, sentence)
        assert.strictEqual(Coverage.problemOf(error).message, sentence)
      }
    })
  )

  it.live("is an invalid answer when it is no gzip, or cut short", () =>
    Effect.gen(function* () {
      for (const body of [Buffer.from(listOf("a")), gzipSync(listOf("a")).subarray(0, 40)]) {
        const error = yield* Effect.flip(onServer(coded("gzip", body), ({ cluster }) => names(cluster)))
        assert.match(error.message, /the answer is not valid gzip \(Z_\w+\)$/)
      }
    })
  )

  it.live("is cut at the bound of a plain answer, and takes no more memory than that", () =>
    onServer(
      coded("gzip", gzipSync(Buffer.alloc(256 * 1024 * 1024, " "), { level: 9 })),
      ({ cluster }) =>
        Effect.gen(function* () {
          const before = process.memoryUsage.rss()
          let most = before
          const watching = Effect.forever(
            Effect.andThen(
              Effect.sleep("5 millis"),
              Effect.sync(() => (most = Math.max(most, process.memoryUsage.rss())))
            )
          )
          const error = yield* Effect.flip(Effect.raceFirst(names(cluster), watching))
          assert.strictEqual(error.reason._tag, "ClusterTooLarge")
          assert.isBelow(most - before, 128 * 1024 * 1024)
        }),
      { answerBytes: 4 * 1024 * 1024 }
    )
  )
})
