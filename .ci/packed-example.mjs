// Runs main.ts, the lines of the README, beside clusters of the packed harness, and asks the service that it mounts.
import { Embedded, Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"

const KEY = "packed-example-key-0123456789"
const BASE = "http://127.0.0.1:8080/quarterdeck"

await using fleet = await Fleet.start({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
await Effect.runPromise(Seed.fill(fleet.fleet))
const hash = createHash("sha256").update(KEY).digest("hex")
await writeFile("kubeconfig.yaml", fleet.kubeconfig)
await writeFile("keys.yaml", JSON.stringify([{ name: "admin", hash, rule: { role: "Admin" } }]))

await import("./main.ts")

const ask = async (path, init = {}) => {
  const response = await fetch(`${BASE}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...init.headers }
  })
  return { status: response.status, body: await response.json() }
}

const deadline = Date.now() + 20_000
while ((await ask("/readyz")).status !== 200) {
  assert.ok(Date.now() < deadline, "the service is not ready after 20 s")
  await pause(50)
}
const { body } = await ask("/api/v1/workloads", { headers: { "x-service-cluster": "*" } })
assert.deepEqual(body.clusters.map(({ name, status }) => [name, status]), [["hub", "ok"], ["prod", "ok"]])
assert.ok(body.workloads.length > 10)

// A created key is kept by the worker thread of the store.
const created = await ask("/api/v1/apiKeys", {
  method: "POST",
  body: JSON.stringify({ name: "made", rule: { role: "Viewer" } })
})
assert.equal(created.status, 201)
const whoami = await ask("/api/v1/whoami", { headers: { authorization: `Bearer ${created.body.key}` } })
assert.equal(whoami.body.name, "made")

console.log("the README's lines work from packed tarballs in an empty folder")
process.exit(0)
