import { assert, describe, it } from "@effect/vitest"
import { readdir, readFile, stat } from "node:fs/promises"
import type { RequestListener, ServerResponse } from "node:http"
import { join } from "node:path"
import { ConfigProvider, type Duration, Effect } from "effect"
import { download, type DownloadOptions, Patience } from "../../../../src/drivers/control-plane/assets/Download.ts"
import { temporaryDirectory } from "../../../machine/Fixture.ts"
import { archiveOf, type Entry, indexOf, PROGRAM_ENTRIES, serving, sha512 } from "./Published.ts"

const MACHINE = { os: "linux", arch: "amd64" }

interface Scene {
  readonly entries?: ReadonlyArray<Entry>
  /** What the index says, if not the truth. */
  readonly hash?: string
  readonly send?: (response: ServerResponse, archive: Buffer) => void
  readonly index?: (response: ServerResponse, text: string) => void
  /** How long nothing may come; short only where nothing does, as a machine may stand still for a moment. */
  readonly patience?: Duration.Input
}

/** Downloads from a place that behaves as the scene says; gives what became of it and what the cache holds then. */
const downloading = Effect.fnUntraced(function* (scene: Scene, options: DownloadOptions = {}) {
  const home = yield* temporaryDirectory
  const archive = yield* Effect.promise(() => archiveOf(scene.entries ?? PROGRAM_ENTRIES))
  const listener: RequestListener = (request, response) => {
    if (request.url === "/index.yaml") {
      const text = indexOf(scene.hash ?? sha512(archive), "archive.tar.gz")
      return void (scene.index === undefined ? response.end(text) : scene.index(response, text))
    }
    if (request.url === "/moved.tar.gz" || scene.send === undefined) return void response.end(archive)
    scene.send(response, archive)
  }
  const url = `${yield* serving(listener)}/index.yaml`
  const result = yield* download({ version: "1.33", index: url, machine: MACHINE, ...options }).pipe(
    Effect.result,
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ XDG_CACHE_HOME: home })),
    Effect.provideService(Patience, scene.patience ?? "30 seconds")
  )
  const cache = join(home, "quarterdeck", "kubernetes")
  const left = yield* Effect.promise(() => readdir(cache, { recursive: true }).catch((): Array<string> => []))
  return { result, left: left.toSorted(), cache }
})

/** The message of a download that must fail and must leave nothing but the release's directory. */
const refusal = Effect.fnUntraced(function* (scene: Scene, options: DownloadOptions = {}) {
  const { left, result } = yield* downloading(scene, options)
  assert.deepStrictEqual(
    left.filter((path) => path !== "v1.33.2"),
    []
  )
  return result._tag === "Failure" ? result.failure.message : "it did not fail"
})

describe("download", () => {
  it.effect("puts the proved programs in the cache, able to run, and nothing else", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const progress: DownloadOptions["progress"] = ({ receivedBytes, totalBytes = 0 }) =>
        Effect.sync(() => void seen.push(receivedBytes / totalBytes))
      const { cache, left, result } = yield* downloading(
        { send: (response, archive) => void response.setHeader("content-length", archive.length).end(archive) },
        { progress }
      )
      assert.strictEqual(result._tag, "Success")
      const files = ["etcd", "kube-apiserver", "kubectl"].map((name) => join("v1.33.2", name))
      assert.deepStrictEqual(left, ["v1.33.2", ...files])
      for (const file of files) {
        const { mode } = yield* Effect.promise(() => stat(join(cache, file)))
        assert.strictEqual(mode & 0o755, 0o755)
      }
      const text = yield* Effect.promise(() => readFile(join(cache, "v1.33.2", "etcd"), "utf8"))
      assert.strictEqual(text, "#!/bin/sh\necho etcd\n")
      assert.strictEqual(seen.at(-1), 1)
    })
  )

  it.effect("follows a redirect", () =>
    Effect.gen(function* () {
      const { result } = yield* downloading({
        send: (response) => void response.writeHead(302, { location: "/moved.tar.gz" }).end()
      })
      assert.strictEqual(result._tag, "Success")
    })
  )

  it.effect("takes its time while bytes come, and gives up when none do", () =>
    Effect.gen(function* () {
      // The rest comes only once the first half has been seen to arrive.
      let sendRest = () => {}
      const slow = yield* downloading(
        {
          send: (response, archive) => {
            const half = Math.floor(archive.length / 2)
            response.write(archive.subarray(0, half))
            sendRest = () => {
              sendRest = () => {}
              response.end(archive.subarray(half))
            }
          }
        },
        { progress: () => Effect.sync(() => sendRest()) }
      )
      assert.strictEqual(slow.result._tag, "Success")
      const patience = "500 millis"
      const stalled = yield* refusal({
        patience,
        send: (response, archive) => void response.write(archive.subarray(0, 10))
      })
      assert.include(stalled, "archive.tar.gz could not be fetched: no data for 500ms")
      assert.include(yield* refusal({ patience, send: () => undefined }), "no data for 500ms")
    })
  )

  it.effect("refuses an archive of which the index says something else", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refusal({ hash: "0".repeat(128) }),
        /archive\.tar\.gz has the SHA-512 [0-9a-f]{12}\.\.\., the index says 000000000000\.\.\.$/
      )
    })
  )

  it.effect("refuses half an archive, whether its length was told or not", () =>
    Effect.gen(function* () {
      const cut = yield* refusal({
        send: (response, archive) => {
          response.writeHead(200, { "content-length": String(archive.length) })
          response.write(archive.subarray(0, 20), () => response.destroy())
        }
      })
      assert.include(cut, "could not be fetched: ")
      const short = yield* refusal({ send: (response, archive) => void response.end(archive.subarray(0, 20)) })
      assert.include(short, "SHA-512")
    })
  )

  it.effect("says which status it got instead of an archive or an index", () =>
    Effect.gen(function* () {
      const gone = (response: ServerResponse) => void response.writeHead(404).end("gone")
      assert.match(yield* refusal({ send: gone }), /archive\.tar\.gz could not be fetched: status 404$/)
      assert.match(yield* refusal({ index: gone }), /index\.yaml could not be fetched: status 404$/)
    })
  )

  it.effect("refuses an index that is none", () =>
    Effect.gen(function* () {
      for (const text of ["<html>", "releases: []", "a: [", indexOf("abc", "x")]) {
        assert.match(
          yield* refusal({ index: (response) => void response.end(text) }),
          /^\S+index\.yaml is not an index of archives: /,
          text
        )
      }
    })
  )

  it.effect("says which releases there are when the one that is asked for is not among them", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal({}, { version: "1.99" }),
        "v1.99 is not published for linux/amd64; available: v1.33.2"
      )
      const machine = { os: "plan9", arch: "amd64" }
      assert.include(yield* refusal({}, { machine }), "not published for plan9/amd64; no release is")
      assert.include(yield* refusal({}, { version: "../etc" }), "../etc is not published")
    })
  )

  it.effect("says what the network said when nobody is there", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refusal({}, { index: "http://127.0.0.1:1/index.yaml" }),
        /^http:\/\/127\.0\.0\.1:1\/index\.yaml could not be fetched: .+$/
      )
    })
  )

  const HOSTILE: ReadonlyArray<readonly [string, ReadonlyArray<Entry>, string]> = [
    ["a path that leads upwards", [{ path: "../../etcd", content: "x" }], "../../etcd leads out of the directory"],
    ["an absolute path", [{ path: "/tmp/etcd", content: "x" }], "/tmp/etcd leads out of the directory"],
    [
      "a symbolic link",
      [{ path: "etcd", type: "SymbolicLink", linkpath: "/bin/sh", size: 0 }],
      "etcd is a SymbolicLink"
    ],
    ["a hard link", [{ path: "etcd", type: "Link", linkpath: "/bin/sh", size: 0 }], "etcd is a Link"],
    ["a device", [{ path: "etcd", type: "CharacterDevice", size: 0 }], "etcd is a CharacterDevice"],
    ["another file", [...PROGRAM_ENTRIES, { path: "setup.sh", content: "x" }], "setup.sh is not one of etcd,"],
    ["a program twice", [...PROGRAM_ENTRIES, { path: "etcd", content: "x" }], "etcd is contained twice"],
    ["too few programs", PROGRAM_ENTRIES.slice(0, 2), "it lacks kube-apiserver and kubectl"]
  ]
  for (const [what, entries, problem] of HOSTILE) {
    it.effect(`refuses an archive with ${what}`, () =>
      Effect.gen(function* () {
        assert.include(yield* refusal({ entries }), `the archive is refused: ${problem}`)
      })
    )
  }

  it.effect("refuses what is no archive although its hash is right", () =>
    Effect.gen(function* () {
      const text = Buffer.from("not an archive")
      assert.include(
        yield* refusal({ hash: sha512(text), send: (response) => void response.end(text) }),
        "the archive is refused: "
      )
    })
  )
})
