import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { quarterdeck, service } from "../program.ts"

const cluster = {
  ...{ name: "prod", role: "child", version: "v1.36.3", reachable: true, lastSeen: "2026-11-21T06:16:06.007Z" },
  ...{
    nodes: 1,
    pods: 2,
    unhealthyWorkloads: 0,
    cpuAllocatableMillis: 3,
    memoryAllocatableBytes: 4,
    cpuRequestMillis: 5,
    memoryRequestBytes: 6
  },
  labels: {},
  coverage: { name: "prod", status: "ok", source: "cache", count: 1, ageMs: 0, latencyMs: 0 }
}
const registering = service(() => ({ status: 201, body: { cluster } }))

const directoryWith = Effect.fnUntraced(function* (contents: Record<string, string>) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped()
  for (const [name, text] of Object.entries(contents)) yield* files.writeFileString(join(directory, name), text)
  return (name: string) => join(directory, name)
})

describe("quarterdeck clusters add", () => {
  it.live("sends a kubeconfig from a file or standard input", () =>
    Effect.gen(function* () {
      const at = yield* directoryWith({ "prod.yaml": "kind: Config\n" })
      const { env, seen } = yield* registering
      const ran = yield* quarterdeck(["clusters", "add", "prod", "--kubeconfig", at("prod.yaml")], { env })
      assert.deepStrictEqual(ran, { stdout: "", stderr: "quarterdeck: registered prod, v1.36.3\n", status: 0 })
      yield* quarterdeck(["clusters", "add", "prod", "--kubeconfig", "-"], { env, stdin: "kind: Config\n" })
      for (const { body, method, url } of seen) {
        assert.deepStrictEqual([method, url.pathname], ["POST", "/api/v1/clusters"])
        assert.deepStrictEqual(JSON.parse(body), { name: "prod", kubeconfig: "kind: Config\n" })
      }
      assert.lengthOf(seen, 2)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("sends the parts of a connection, with the token from standard input", () =>
    Effect.gen(function* () {
      const at = yield* directoryWith({ "ca.crt": "-----BEGIN CERTIFICATE-----" })
      const { env, seen } = yield* registering
      const server = "https://prod.example.com"
      const args = ["--server", server, "--ca-file", at("ca.crt"), "--token-file", "-", "--label", "region=eu"]
      const ran = yield* quarterdeck(["clusters", "add", "prod", ...args], { env, stdin: "secret\n" })
      assert.strictEqual(ran.status, 0, ran.stderr)
      assert.deepStrictEqual(JSON.parse(seen[0]?.body ?? ""), {
        ...{ name: "prod", server, token: "secret", labels: { region: "eu" } },
        caData: Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64")
      })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each<[string, ReadonlyArray<string>, RegExp]>([
    ["nothing of the cluster", [], /give --kubeconfig, or --server, --ca-file and --token-file/],
    ["half of it", ["--server", "https://prod.example.com"], /give --kubeconfig, or --server/],
    ["both forms", ["--kubeconfig", "-", "--server", "https://a"], /--kubeconfig cannot be used with the other flags/],
    [
      "standard input twice",
      ["--server", "https://a", "--ca-file", "-", "--token-file", "-"],
      /cannot both be standard input/
    ]
  ])("refuses %s, and sends nothing", ([, args, expected]) =>
    Effect.gen(function* () {
      const { env, seen } = yield* registering
      const { status, stderr } = yield* quarterdeck(["clusters", "add", "prod", ...args], { env })
      assert.match(stderr, expected)
      assert.strictEqual(status, 2)
      assert.lengthOf(seen, 0)
    })
  )

  it.live("refuses a name that is none, and says what is one", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* registering
      const { status, stderr } = yield* quarterdeck(["clusters", "add", "a b", "--kubeconfig", "-"], { env })
      assert.match(stderr, /name must be 1 to 253 of A-Z a-z 0-9 \. _ -, first and last a letter or digit/)
      assert.deepStrictEqual([status, seen.length], [2, 0])
    })
  )

  it.live("tells the flag that the service refused", () =>
    Effect.gen(function* () {
      const at = yield* directoryWith({ token: "secret" })
      const problem = {
        ...{ type: "urn:quarterdeck:problem:cluster_refused", title: "Cluster refused", status: 400, requestId: "r1" },
        ...{ code: "cluster_refused", detail: "the cluster refused the service's credential", field: "token" }
      }
      const { env } = yield* service(() => ({
        status: 400,
        body: problem,
        headers: { "content-type": "application/problem+json" }
      }))
      const args = ["--server", "https://a", "--ca-file", at("token"), "--token-file", at("token")]
      const { status, stderr } = yield* quarterdeck(["clusters", "add", "prod", ...args], { env })
      assert.match(stderr, /^quarterdeck: --token-file: the cluster refused the service's credential \(HTTP 400/)
      assert.notInclude(stderr, "secret")
      assert.strictEqual(status, 2)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("quarterdeck clusters drop", () => {
  it.live("drops a cluster", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ status: 204 }))
      const ran = yield* quarterdeck(["clusters", "drop", "prod"], { env })
      assert.deepStrictEqual(ran, { stdout: "", stderr: "quarterdeck: dropped prod\n", status: 0 })
      assert.deepStrictEqual([seen[0]?.method, seen[0]?.url.pathname], ["DELETE", "/api/v1/clusters/prod"])
    })
  )
})
