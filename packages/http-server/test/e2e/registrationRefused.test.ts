/** What is refused before anything is connected to, where loopback may not be registered and where it may. */
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { partsOf, PATH, plainServer, refused } from "./registered.ts"

const decodeAudit = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList))

/** Every way to write an address that is never connected to. */
const FORBIDDEN = [
  ["link-local", "https://169.254.10.20"],
  ["metadata", "https://169.254.169.254"],
  ["metadata over plain http", "http://169.254.169.254"],
  ["decimal", "https://2852039166"],
  ["hexadecimal", "https://0xa9fea9fe"],
  ["hexadecimal parts", "https://0xa9.0xfe.0xa9.0xfe"],
  ["octal", "https://0251.0376.0251.0376"],
  ["two parts", "https://169.16689662"],
  ["full-width digits", "https://１６９.254.169.254"],
  ["percent-encoded", "https://169%2e254.169.254"],
  ["with a dot at the end", "https://169.254.169.254."],
  ["IPv4 in IPv6", "https://[::ffff:169.254.169.254]"],
  ["IPv4 in IPv6, hexadecimal", "https://[::ffff:a9fe:a9fe]"],
  ["IPv4 in IPv6, written out", "https://[0:0:0:0:0:ffff:a9fe:a9fe]"],
  ["IPv4-compatible", "https://[::a9fe:a9fe]"],
  ["NAT64", "https://[64:ff9b::a9fe:a9fe]"],
  ["6to4", "https://[2002:a9fe:a9fe::1]"],
  ["link-local IPv6", "https://[fe80::1]"],
  ["metadata of AWS over IPv6", "https://[fd00:ec2::254]"],
  ["metadata of Alibaba", "https://100.100.100.200"],
  ["Azure's wire server", "https://168.63.129.16"],
  ["unspecified", "https://0.0.0.0"],
  ["unspecified IPv6", "https://[::]"]
] as const

const LOOPBACK = [
  ["127.0.0.1", "https://127.0.0.1:6443"],
  ["another of the loopback net", "https://127.1.2.3"],
  ["decimal", "https://2130706433"],
  ["short", "https://127.1"],
  ["octal", "https://0177.1"],
  ["IPv6", "https://[::1]"],
  ["IPv4 in IPv6", "https://[::ffff:127.0.0.1]"],
  ["localhost", "https://localhost"],
  ["localhost with a dot", "https://LOCALHOST."],
  ["a name below localhost", "https://api.localhost:6443"]
] as const

/** A kubeconfig in the form of JSON, which is YAML. */
const kubeconfigOf = (cluster: object, user: object) =>
  JSON.stringify({
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x"
  })

const SERVER = "https://10.0.0.1"
const FOREIGN = [
  [
    "an exec plugin",
    { server: SERVER },
    { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: ["/tmp/quarterdeck-ran"] } },
    "exec"
  ],
  ["an exec plugin that is not whole", { server: SERVER }, { exec: {} }, "exec"],
  ["an auth provider", { server: SERVER }, { "auth-provider": { name: "gcp" } }, "auth-provider"],
  ["a token file", { server: SERVER }, { tokenFile: "/etc/passwd" }, "tokenFile"],
  ["a token file beside a token", { server: SERVER }, { token: "t", tokenFile: "/etc/passwd" }, "tokenFile"],
  [
    "files of a client certificate",
    { server: SERVER },
    { "client-certificate": "c", "client-key": "k" },
    "client-certificate"
  ],
  ["a file of a client key", { server: SERVER }, { "client-key": "k" }, "client-key"],
  [
    "a file of an authority",
    { server: SERVER, "certificate-authority": "/etc/ca" },
    { token: "t" },
    "certificate-authority"
  ],
  [
    "an unchecked certificate",
    { server: SERVER, "insecure-skip-tls-verify": true },
    { token: "t" },
    "insecure-skip-tls-verify"
  ],
  ["a user in the address", { server: "https://a:b@10.0.0.1" }, { token: "t" }, "server"],
  ["a metadata address", { server: "https://[::ffff:a9fe:a9fe]" }, { token: "t" }, "link-local"],
  ["a proxy at a metadata address", { server: SERVER, "proxy-url": "http://2852039166" }, { token: "t" }, "proxy-url"],
  ["a proxy with a user", { server: SERVER, "proxy-url": "http://a:b@10.0.0.2" }, { token: "t" }, "proxy-url"],
  ["a token over plain http", { server: "http://10.0.0.1" }, { token: "t" }, "plain http"]
] as const

onOneDriver("what is never registered", { children: ["prod"] }, (it) => {
  it.effect.each([...FORBIDDEN, ...LOOPBACK])("an address is refused, in every spelling: %s", ([, server]) =>
    Effect.gen(function* () {
      const parts = yield* partsOf("prod")
      const problem = yield* refused({ ...parts, name: "new", server })
      assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "server" })
      assert.match(problem.detail, /^server is .*, which is refused$/)
      const proxied = yield* refused({ ...parts, name: "new", server: SERVER, proxyUrl: server })
      assert.deepInclude(proxied, { status: 400, code: "cluster_refused", field: "proxyUrl" })
    })
  )

  it.effect.each([
    ["a user", "server", { server: "https://admin@10.0.0.1" }],
    ["a password", "server", { server: "https://:word@10.0.0.1" }],
    ["another scheme", "server", { server: "file:///etc/passwd" }],
    ["no URL", "server", { server: "10.0.0.1" }],
    ["a query", "server", { server: "https://10.0.0.1/?a=b" }],
    ["plain http", "server", { server: "http://10.0.0.1" }],
    ["a proxy with a user", "proxyUrl", { server: SERVER, proxyUrl: "http://a:b@10.0.0.2" }],
    ["a proxy of another scheme", "proxyUrl", { server: SERVER, proxyUrl: "socks4://10.0.0.2" }],
    ["a SOCKS proxy at a metadata address", "proxyUrl", { server: SERVER, proxyUrl: "socks5://169.254.169.254" }]
  ] as const)("an address with %s is refused", ([, field, change]) =>
    Effect.gen(function* () {
      const problem = yield* refused({ ...(yield* partsOf("prod")), name: "new", ...change })
      assert.deepInclude(problem, { status: 400, code: "cluster_refused", field })
      assert.notInclude(problem.detail, "word")
    })
  )

  it.effect.each(FOREIGN)("a kubeconfig with %s is refused, and names it", ([, cluster, user, words]) =>
    Effect.gen(function* () {
      const problem = yield* refused({ name: "new", kubeconfig: kubeconfigOf(cluster, user) })
      assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "kubeconfig" })
      assert.include(problem.detail, words)
      assert.notInclude(problem.detail, "/etc/")
    })
  )

  it.effect.each([
    ["no YAML", "a: [b", "is not YAML"],
    ["something else", "hello", "kubeconfig"],
    ["no context", JSON.stringify({ kind: "Config" }), "no current-context"],
    ["a context of nothing", JSON.stringify({ contexts: [{ name: "x", context: { cluster: "c" } }] }), "does not exist"]
  ] as const)("a kubeconfig that is %s is refused", ([, kubeconfig, words]) =>
    Effect.gen(function* () {
      const problem = yield* refused({ name: "new", kubeconfig })
      assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "kubeconfig" })
      assert.include(problem.detail, words)
    })
  )

  it.effect("the audit names the cluster that somebody was not let drop", () =>
    Effect.gen(function* () {
      const { call } = yield* Deployment
      const headers = [["X-Request-Id", "denied-drop"]] as const
      yield* call(`${PATH}/prod`, { method: "DELETE", key: "prodAdmin", headers })
      const events = call("/api/v1/audit?limit=5000", { key: "admin" }).pipe(
        Effect.flatMap(({ text }) => decodeAudit(text)),
        Effect.map((list) => list.events.filter(({ requestId }) => requestId === "denied-drop"))
      )
      const [event] = yield* eventually("the denial is in the audit", events, ({ length }) => length > 0)
      assert.deepInclude(event, {
        ...{ resource: "clusters", verb: "delete", status: 403, code: "role_forbidden", decision: "deny" },
        target: { asked: "prod", clusters: [] }
      })
    })
  )
})

onOneDriver(
  "what a server that is registered may not do",
  { children: ["prod"], options: { clusters: { allowLoopback: true } } },
  (it) => {
    it.effect.each(FORBIDDEN)("an address is refused where loopback is allowed, too: %s", ([, server]) =>
      Effect.gen(function* () {
        const problem = yield* refused({ ...(yield* partsOf("prod")), name: "new", server })
        assert.deepInclude(problem, { code: "cluster_refused", field: "server" })
      })
    )

    it.effect("a redirect is not followed", () =>
      Effect.gen(function* () {
        const elsewhere = yield* plainServer((_request, response) => void response.end("{}"))
        const redirecting = yield* plainServer(
          (request, response) =>
            void response.writeHead(307, { location: `${elsewhere.server}${request.url ?? "/"}` }).end()
        )
        const parts = yield* partsOf("prod")
        const problem = yield* refused({ ...parts, name: "new", server: redirecting.server })
        assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "server" })
        assert.include(problem.detail, "redirects are not followed")
        assert.strictEqual(redirecting.requests(), 1)
        assert.strictEqual(elsewhere.requests(), 0)
      }).pipe(Effect.scoped)
    )

    it.effect("a server that is no Kubernetes API is refused", () =>
      Effect.gen(function* () {
        const page = yield* plainServer((_request, response) => void response.end("<html>secret page</html>"))
        const problem = yield* refused({ ...(yield* partsOf("prod")), name: "new", server: page.server })
        assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "server" })
        assert.notInclude(problem.detail, "secret page")
      }).pipe(Effect.scoped)
    )

    it.effect("a server that says nothing is given up", () =>
      Effect.gen(function* () {
        const silent = yield* plainServer(() => undefined)
        const problem = yield* refused({ ...(yield* partsOf("prod")), name: "new", server: silent.server })
        assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "server" })
        assert.include(problem.detail, "did not answer within 5000 ms")
      }).pipe(Effect.scoped)
    )
  }
)
