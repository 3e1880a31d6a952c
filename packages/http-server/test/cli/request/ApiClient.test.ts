import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import { Effect, FileSystem, Redacted } from "effect"
import { once } from "node:events"
import * as Https from "node:https"
import * as Net from "node:net"
import { API_KEY, coverage, listening, problem, quarterdeck, quarterdeckProcess, service } from "../program.ts"

const clusters = (url: string, env: Record<string, string> = {}, run = quarterdeck) =>
  run(["clusters"], { env: { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: API_KEY, ...env } })

/** Listens without speaking HTTP. */
const socket = (onConnection: (connection: Net.Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = Net.createServer((connection) => {
        connection.on("error", () => undefined)
        onConnection(connection)
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
    })
  )

describe("a client command", () => {
  it.live("wants a server and a key, and says both at once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(["clusters"]), {
        stdout: "",
        stderr:
          "quarterdeck: no server: give --url or set QUARTERDECK_URL, such as http://127.0.0.1:8080\n"
          + "quarterdeck: no key: set QUARTERDECK_API_KEY\n",
        status: 2
      })
    })
  )

  it.live.each(["127.0.0.1:8080", "ftp://a.example", "http://user:pass@a.example", "http://a.example?x", "http://a b"])(
    "refuses the address %s without repeating it",
    (url) =>
      Effect.gen(function* () {
        const { status, stderr } = yield* clusters(url)
        assert.strictEqual(
          stderr,
          "quarterdeck: QUARTERDECK_URL must be an http:// or https:// address without user, password, query or fragment\n"
        )
        assert.strictEqual(status, 2)
      })
  )

  it.live("warns when the key would go over plain HTTP to another machine", () =>
    Effect.gen(function* () {
      const { stderr } = yield* clusters("http://quarterdeck.invalid:8080")
      assert.match(
        stderr,
        /^quarterdeck: http:\/\/quarterdeck\.invalid:8080 is plain HTTP, so the API key crosses the network unencrypted/
      )
      const own = yield* clusters("http://127.0.0.1:9")
      assert.notInclude(own.stderr, "unencrypted")
    })
  )

  it.live("takes --url before QUARTERDECK_URL, with a path and a slash at its end", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* service(() => ({ body: { clusters: [], partial: false } }))
      const { status } = yield* quarterdeck(["clusters", "--url", `${url}/deck/`], {
        env: { QUARTERDECK_URL: "http://127.0.0.1:1", QUARTERDECK_API_KEY: API_KEY }
      })
      assert.strictEqual(status, 0)
      assert.strictEqual(seen[0]?.url.pathname, "/deck/api/v1/clusters")
    })
  )

  it.live("sends a key that is no single token as the password of Basic, and never shows one", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* service(() => problem(401, "invalid_key"))
      const key = "hunter2, wörd"
      const { stderr } = yield* clusters(url, { QUARTERDECK_API_KEY: key })
      assert.strictEqual(seen[0]?.headers.authorization, `Basic ${Buffer.from(`:${key}`).toString("base64")}`)
      assert.notInclude(stderr, "hunter2")
      const broken = yield* clusters(url, { QUARTERDECK_API_KEY: "hunter2\n" })
      assert.strictEqual(
        broken.stderr,
        "quarterdeck: QUARTERDECK_API_KEY holds a control character, which no key can have\n"
      )
      assert.strictEqual(broken.status, 2)
    })
  )

  it.live.each([
    { status: 401, code: "key_expired" },
    { status: 403, code: "cluster_forbidden" },
    { status: 404, code: "cluster_not_found" },
    { status: 500, code: "internal_error" },
    { status: 503, code: "key_store_unavailable" }
  ])("tells a problem of HTTP $status in one line and ends with 1", ({ code, status }) =>
    Effect.gen(function* () {
      const { url } = yield* service(() => problem(status, code, { detail: "the\nreason" }))
      assert.deepStrictEqual(yield* clusters(url), {
        stdout: "",
        stderr: `quarterdeck: Refused: the\\u{a}reason (HTTP ${status}, code ${code}, request r-1)\n`,
        status: 1
      })
    })
  )

  it.live("tells what is wrong with the clusters that were named by their flag, not by the header that it became", () =>
    Effect.gen(function* () {
      const { url } = yield* service(({ headers }) =>
        headers["x-target"] === "prdo"
          ? problem(404, "cluster_not_found", { detail: "no prdo", field: "X-Target" })
          : problem(400, "invalid_target", { detail: "X-Target names too many", field: "X-Target" })
      )
      const ask = (target: string) =>
        quarterdeck(["pods", "-c", target, "--url", url], {
          env: { QUARTERDECK_API_KEY: API_KEY, QUARTERDECK_CLUSTER_HEADER: "x-target" }
        })
      assert.deepStrictEqual(yield* ask("prdo"), {
        stdout: "",
        stderr: "quarterdeck: Refused: no prdo (HTTP 404, code cluster_not_found, --cluster, request r-1)\n",
        status: 1
      })
      assert.deepStrictEqual(yield* ask("a|b"), {
        stdout: "",
        stderr: "quarterdeck: --cluster: names too many (HTTP 400, code invalid_target, request r-1)\n",
        status: 2
      })
    })
  )

  it.live("tells each cluster's part when none answered", () =>
    Effect.gen(function* () {
      const failed = [
        coverage("a", { status: "timeout", error: { code: "timeout", message: "no answer" } }),
        coverage("b", { status: "unreachable" })
      ]
      const { url } = yield* service(() => problem(502, "cluster_unreachable", { clusters: failed }))
      assert.deepStrictEqual(yield* clusters(url), {
        stdout: "",
        stderr:
          "quarterdeck: Refused: the reason (HTTP 502, code cluster_unreachable, request r-1)\n"
          + "quarterdeck: warning: cluster a: timeout, its rows are missing: no answer\n"
          + "quarterdeck: warning: cluster b: unreachable, its rows are missing\n",
        status: 1
      })
    })
  )

  it.live.each([
    {
      reply: { body: "<html>hello</html>" },
      line: "HTTP 200 with text/html is not a reply of Quarterdeck: is this its address?"
    },
    {
      reply: { status: 502, body: "<html>gateway</html>" },
      line: "HTTP 502 with text/html is not a reply of Quarterdeck: is this its address?"
    },
    {
      reply: { status: 404, body: { error: "nope" } },
      line: "HTTP 404 with application/json is not a reply of Quarterdeck: is this its address?"
    },
    {
      reply: { headers: { "content-type": "application/json" }, body: '{"clusters":' },
      line: "HTTP 200 with application/json is not a reply of Quarterdeck: is this its address?"
    },
    {
      reply: { status: 204 },
      line: "HTTP 204 with application/json is not a reply of Quarterdeck: is this its address?"
    },
    {
      reply: { body: { items: [] } },
      line: "this version of the program cannot read the reply: clusters: is required"
    },
    {
      reply: { status: 302, headers: { location: "https://a.example/login" } },
      line: "moved to https://a.example/login (HTTP 302); use that address instead"
    }
  ])("tells an answer that is not Quarterdeck's: $line", ({ line, reply }) =>
    Effect.gen(function* () {
      const { seen, url } = yield* service(() => reply)
      assert.deepStrictEqual(yield* clusters(url), { stdout: "", stderr: `quarterdeck: ${url}: ${line}\n`, status: 1 })
      assert.lengthOf(seen, 1)
    })
  )

  it.live("tells a refused connection", () =>
    Effect.gen(function* () {
      // A port that was free a moment ago may be another test's by the time that the program has started.
      const nobody = "http://127.0.0.1:2"
      const { status, stderr } = yield* clusters(nobody)
      assert.strictEqual(
        stderr,
        `quarterdeck: ${nobody}: connection refused: is the server running there? (ECONNREFUSED)\n`
      )
      assert.strictEqual(status, 1)
    })
  )

  it.live("tells a host name that does not exist", () =>
    Effect.gen(function* () {
      const { status, stderr } = yield* clusters("https://quarterdeck.invalid")
      assert.match(
        stderr,
        /^quarterdeck: https:\/\/quarterdeck\.invalid: the host name (?:is unknown|cannot be looked up at the moment) \(E[A-Z_]+\)\n$/
      )
      assert.strictEqual(status, 1)
    })
  )

  it.live("tells a connection that ends without an answer", () =>
    Effect.gen(function* () {
      const address = yield* socket((connection) => connection.destroy())
      const { status, stderr } = yield* clusters(`http://${address}`)
      assert.strictEqual(
        stderr,
        `quarterdeck: http://${address}: the connection was closed without an answer: does the address need https? (ECONNRESET)\n`
      )
      assert.strictEqual(status, 1)
    })
  )

  it.live("tells an answer that breaks off", () =>
    Effect.gen(function* () {
      const address = yield* socket((connection) => {
        connection.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
      })
      const { status, stderr } = yield* clusters(`http://${address}`)
      assert.strictEqual(
        stderr,
        `quarterdeck: http://${address}: the reply is truncated, or longer than this program accepts\n`
      )
      assert.strictEqual(status, 1)
    })
  )

  it.live("refuses a name of the cluster header that no header can have", () =>
    Effect.gen(function* () {
      const { status, stderr } = yield* clusters("http://127.0.0.1:1", { QUARTERDECK_CLUSTER_HEADER: "a b" })
      assert.match(stderr, /^quarterdeck: QUARTERDECK_CLUSTER_HEADER must be an HTTP header name .*\n$/)
      assert.strictEqual(status, 2)
    })
  )

  it.live("tells a server that speaks something else", () =>
    Effect.gen(function* () {
      const address = yield* socket((connection) => connection.end("SSH-2.0-server\r\n"))
      const { status, stderr } = yield* clusters(`http://${address}`)
      assert.match(
        stderr,
        /^quarterdeck: \S+ the server does not speak HTTP\/1\.1: does the address need https\? \(HPE_\w+\)\n$/
      )
      assert.strictEqual(status, 1)
    })
  )

  it.live("tells that a server of plain HTTP does not speak TLS", () =>
    Effect.gen(function* () {
      const { url } = yield* service(() => ({ body: { clusters: [], partial: false } }))
      const { status, stderr } = yield* clusters(url.replace("http:", "https:"))
      assert.match(stderr, /^quarterdeck: \S+ the server does not speak TLS: does the address need http\? \(\w+\)\n$/)
      assert.strictEqual(status, 1)
    })
  )

  it.live("refuses a certificate that nobody vouches for, and takes it once its authority is known", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { certificatePem, keyPem } = yield* ServerCertificate.issue("client-commands")
      const authority = yield* files.makeTempFileScoped()
      yield* files.writeFileString(authority, certificatePem)
      const server = Https.createServer({ cert: certificatePem, key: Redacted.value(keyPem) }, (_, response) => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ clusters: [], partial: false }))
      })
      const url = `https://127.0.0.1:${yield* listening(server)}`

      const refused = yield* clusters(url)
      assert.match(
        refused.stderr,
        /^quarterdeck: \S+ its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the PEM file of its authority \(\w+\)\n$/
      )
      assert.strictEqual(refused.status, 1)

      // Node reads its authorities once, when a process starts.
      const trusted = yield* clusters(url, { NODE_EXTRA_CA_CERTS: authority }, quarterdeckProcess)
      assert.deepStrictEqual([trusted.stderr, trusted.status], ["", 0])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
