/**
 * Runs main.ts, the README's example, with clusters of the packed harness, and sends requests to the service that it mounts.
 * The script packed-example copies this file into an empty folder in which only the tarballs are installed.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Embedded, eventually, Fleet, Seed } from "@quarterdeck/harness"
import { CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Redacted, Schema } from "effect"
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import * as Program from "./packed-program.ts"

const KEY = "packed-example-key-0123456789"
const BASE = `http://127.0.0.1:${process.argv[2]}/quarterdeck`

const ask = (path: string, key: string, body?: string) =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${BASE}${path}`, {
      signal,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body })
    })
    return { status: response.status, text: await response.text() }
  })

const decodeClusters = Schema.decodeUnknownEffect(Schema.fromJsonString(ClusterList))
const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(CreatedApiKey))

const check = Effect.gen(function* () {
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
  yield* Seed.fill(fleet)
  const hash = createHash("sha256").update(KEY).digest("hex")
  yield* Effect.promise(() => writeFile("kubeconfig.yaml", fleet.kubeconfig))
  yield* Effect.promise(() =>
    writeFile("keys.yaml", JSON.stringify([{ name: "admin", hash, rule: { role: "Admin" } }]))
  )
  yield* Effect.acquireRelease(
    // Many repositories read their own packages by the condition `source`. It must not change how the tarballs resolve.
    Effect.sync(() => spawn(process.execPath, ["--conditions=source", "main.ts"], { stdio: "inherit" })),
    (child) => Effect.sync(() => child.kill())
  )

  yield* eventually("the service is ready", ask("/readyz", KEY), ({ status }) => status === 200, {
    within: "20 seconds"
  })
  const { clusters } = yield* Effect.flatMap(ask("/api/v1/clusters", KEY), ({ text }) => decodeClusters(text))
  assert.deepEqual(
    clusters.map(({ coverage, name }) => [name, coverage.status]),
    [
      ["hub", "ok"],
      ["prod", "ok"]
    ]
  )

  // Creating a key uses the store's worker thread.
  const created = yield* ask("/api/v1/apiKeys", KEY, JSON.stringify({ name: "made", rule: { role: "Viewer" } }))
  const { key } = yield* decodeCreated(created.text)
  assert.equal((yield* ask("/api/v1/whoami", Redacted.value(key))).status, 200)

  const page = yield* ask("/", KEY)
  assert.equal(page.status, 200)
  const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1]
  assert.ok(script !== undefined, "the page has no script")
  assert.equal((yield* ask(script, KEY)).status, 200)
  process.stdout.write("the README's lines work from packed tarballs in an empty folder\n")
  yield* Program.check(KEY)
})

await Effect.runPromise(Effect.scoped(check))
