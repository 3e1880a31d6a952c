/**
 * Runs the program `quarterdeck` of the packed tarball: the bundle, with the worker threads and pages that it finds by itself.
 * The script packed-example copies this file into the folder in which only the tarballs are installed.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"

const PROGRAM = "node_modules/.bin/quarterdeck"
const PACKAGE = "node_modules/@quarterdeck/http-server"

const start = (args: ReadonlyArray<string>, env: Record<string, string> = {}): ChildProcess =>
  spawn(PROGRAM, args, { env: { PATH: process.env["PATH"], XDG_CACHE_HOME: `${process.cwd()}/cache`, ...env } })

/** Runs a command to its end. */
const run = (args: ReadonlyArray<string>, env?: Record<string, string>, stdin = "") =>
  Effect.promise(async () => {
    const child = start(args, env)
    assert.ok(child.stdin !== null && child.stdout !== null && child.stderr !== null)
    child.stdin.end(stdin)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { stdout, stderr, status: child.exitCode }
  })

const decodeClusters = Schema.decodeUnknownEffect(Schema.fromJsonString(ClusterList))

/** Runs commands, and a server that they ask. **Shape** `key` is an Admin key of keys.yaml, beside kubeconfig.yaml. */
export const check = Effect.fnUntraced(function* (key: string) {
  const version = yield* run(["--version"])
  assert.match(version.stdout, /^quarterdeck \d+\.\d+\.\d+\n$/)
  const help = yield* run(["--help"])
  for (const command of ["serve", "workloads", "can-i", "mcp"])
    assert.match(help.stdout, new RegExp(`^  ${command} `, "m"))
  const misused = yield* run(["workloads", "--colour"])
  assert.deepEqual(misused, {
    stdout: "",
    stderr:
      "quarterdeck: --colour is not a flag of quarterdeck workloads\nquarterdeck: see quarterdeck workloads --help\n",
    status: 2
  })
  assert.ok((yield* Effect.promise(() => readdir("cache/quarterdeck"))).length > 0, "nothing is in the compile cache")
  const licenses = yield* Effect.promise(() => readFile(`${PACKAGE}/dist/program/THIRD_PARTY_LICENSES.md`, "utf8"))
  for (const bundled of ["effect", "undici", "yaml"]) assert.match(licenses, new RegExp(`^## ${bundled} - `, "m"))

  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      start(["serve", "--port", "0", "--data", "data", "--kubeconfig", "kubeconfig.yaml", "--keys-file", "keys.yaml"])
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let log = ""
  server.stderr?.setEncoding("utf8").on("data", (part: string) => (log += part))
  const url = yield* eventually(
    "the server listens",
    Effect.sync(() => /listening on (http:\/\/[^\s"]+)/.exec(log)?.[1] ?? log),
    (found) => found.startsWith("http://"),
    { within: "20 seconds" }
  )
  const env = { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: key }
  const clusters = yield* run(["clusters", "-o", "json"], env)
  assert.deepEqual(
    (yield* decodeClusters(clusters.stdout)).clusters.map(({ name }) => name),
    ["hub", "prod"]
  )
  // These use the worker threads of keys, audit and costs.
  for (const args of [["key", "create", "--name", "made", "--role", "Viewer"], ["audit"], ["cost"]]) {
    const { status, stderr } = yield* run(args, env)
    assert.equal(status, 0, `${args.join(" ")}: ${stderr}`)
  }
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "packed", version: "1" } }
  }
  const mcp = yield* run(["mcp"], env, `${JSON.stringify(initialize)}\n`)
  assert.match(mcp.stdout, /"serverInfo"/)
  for (const path of ["/", "/docs", "/openapi.json"]) {
    assert.equal((yield* Effect.promise(() => fetch(`${url}${path}`))).status, 200, path)
  }
  const ended = once(server, "close")
  server.kill("SIGTERM")
  assert.deepEqual(yield* Effect.promise(() => ended), [0, null], log)
  process.stdout.write("the packed program works\n")
})
