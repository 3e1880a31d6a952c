/**
 * Holds each header, query and body that a client may send to a bound of processor time and memory.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asAdmin, HostileServer, type Sent } from "./HostileServer.ts"
import { shapes } from "./HostileShapes.ts"

/** Processor time of one request. A quadratic pattern takes 50 to 250 ms for such a header. */
const PROCESSOR_MS = 15
/** What a server may hold more after the whole suite. */
const GROWTH_BYTES = 256 * 2 ** 20

/** Headers that the server, its libraries or a proxy in front read; connection headers of HTTP/1.1 are Node's. */
const HEADERS = [
  ...["accept", "accept-encoding", "accept-language", "authorization", "b3", "content-type", "cookie", "forwarded"],
  ...[
    "host",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "last-event-id",
    "mcp-protocol-version"
  ],
  ...["mcp-session-id", "origin", "range", "referer", "sec-fetch-site", "traceparent", "tracestate", "user-agent"],
  ...["x-b3-traceid", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-request-id", "x-requested-with"],
  "x-service-cluster"
]

const LIST = ["namespace", "labelSelector", "name", "sort", "order", "limit", "cursor", "consistency", "timeoutMs"]
const QUERIES: ReadonlyArray<readonly [path: string, parameters: ReadonlyArray<string>]> = [
  ["/api/v1/workloads", [...LIST, "kind", "other"]],
  ["/api/v1/pods", ["workload", "node", "status"]],
  ["/api/v1/events", ["type", "reason", "regarding"]],
  ["/api/v1/audit", ["since", "until", "keyId", "cursor"]],
  ["/api/v1/apiKeys", ["status", "createdBy", "name", "cursor"]],
  ["/api/v1/costExplanation", ["id", "cluster", "range", "from"]],
  ["/auth/oidc/callback", ["state", "code"]]
]

/** Bodies of some length that parsers of JSON find hard. */
const bodies = (length: number): ReadonlyArray<readonly [shape: string, text: string]> => [
  ["brackets", "[".repeat(length)],
  ["nested members", '{"a":'.repeat(length / 5)],
  ["one text", JSON.stringify({ name: "a".repeat(length - 20) })],
  ["escapes", `{"name":"${"\\u0041".repeat(length / 6 - 4)}"}`],
  ["digits", `{"replicas":${"9".repeat(length - 20)}}`],
  ["a number that is none", `{"replicas":${"9e".repeat(length / 2 - 10)}}`],
  ["members", `{${Array.from({ length: length / 12 }, (_, index) => `"m${index}":1`).join(",")}}`],
  ["one member many times", `{${Array.from({ length: length / 6 - 2 }, () => '"m":1').join(",")}}`],
  ["names", JSON.stringify({ clusters: Array.from({ length: length / 12 }, (_, index) => `c${index}`) })],
  ["blanks", " ".repeat(length)],
  ["labels", JSON.stringify({ labelSelector: "a,".repeat(length / 2 - 20) })]
]

/** Routes with a body. **Shape** the sign-in is judged before its client is known, so it takes 4 KiB alone. */
const WITH_BODY: ReadonlyArray<readonly [path: string, bytes: number]> = [
  ["/api/v1/session", 1_000_000],
  ["/api/v1/apiKeys", 1_000_000],
  ["/api/v1/accessReviews", 1_000_000],
  ["/api/v1/clusters", 1_000_000],
  ["/api/v1/workloads/actions", 1_000_000],
  ["/detailedCostReport/getWorkloads", 1_000_000],
  ["/detailedCostReport/getAggregated", 1_000_000],
  ["/mcp", 1_000_000]
]

/** Processor time of one body of 1 MB: 60 ns a byte, or on a slower machine that of some ordinary bodies of the same length. */
const BODY_PROCESSOR_MS = 60
const ORDINARY_BODIES = 4

/** Sends each request some times, and names those that took more processor time than they may. */
const tooDear = Effect.fnUntraced(function* (
  requests: ReadonlyArray<readonly [name: string, sent: Sent]>,
  boundMs: number
) {
  const { requestMs, send } = yield* HostileServer
  const measured = yield* Effect.forEach(requests, ([name, sent]) =>
    Effect.gen(function* () {
      const statuses = new Set<number>()
      const ms = yield* requestMs(
        Effect.map(send(sent), (status) => statuses.add(status)),
        boundMs
      )
      return { name, ms, statuses: [...statuses] }
    })
  )
  assert.isTrue(
    measured.every(({ statuses }) => statuses.every((status) => status < 500)),
    JSON.stringify(measured.filter(({ statuses }) => statuses.some((status) => status >= 500)))
  )
  return measured.filter(({ ms }) => ms > boundMs)
})

layer(HostileServer.layer(), { timeout: "60 seconds", excludeTestServices: true })("a hostile client", (it) => {
  it.effect(
    "stops the server by no header, with or without a key",
    () =>
      Effect.gen(function* () {
        const { residentBytes } = yield* HostileServer
        const before = yield* residentBytes
        const requests = HEADERS.flatMap((header) =>
          shapes().map(
            ([shape, text]) =>
              [
                `${header}: ${shape}`,
                {
                  path: "/api/v1/workloads",
                  headers: { ...(header === "authorization" ? {} : asAdmin), [header]: text }
                }
              ] as const
          )
        )
        assert.deepStrictEqual(yield* tooDear(requests, PROCESSOR_MS), [])
        assert.isBelow((yield* residentBytes) - before, GROWTH_BYTES)
      }),
    { timeout: 120_000 }
  )

  it.effect(
    "stops the server by no body, at any route, nor by a message of MCP",
    () =>
      Effect.gen(function* () {
        const { requestMs, residentBytes, send, url } = yield* HostileServer
        const before = yield* residentBytes
        const accept = "application/json, text/event-stream"
        const headers = { ...asAdmin, accept, "content-type": "application/json", origin: url }
        const posted = WITH_BODY.flatMap(([path, bytes]) =>
          bodies(bytes).map(([shape, body]) => [`${path}: ${shape}`, { method: "POST", path, headers, body }] as const)
        )
        const inTools = bodies(900_000).map(([shape, body]) => {
          const name = "list_workloads"
          const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { name: body } } }
          return [
            `/mcp in a tool: ${shape}`,
            { method: "POST", path: "/mcp", headers, body: JSON.stringify(call) }
          ] as const
        })
        const ordinary = JSON.stringify({ name: "a".repeat(999_980) })
        const ordinaryMs = yield* requestMs(
          send({ method: "POST", path: "/api/v1/workloads/actions", headers, body: ordinary }),
          0
        )
        const boundMs = Math.max(BODY_PROCESSOR_MS, ORDINARY_BODIES * ordinaryMs)
        assert.deepStrictEqual(yield* tooDear([...posted, ...inTools], boundMs), [])
        assert.isBelow((yield* residentBytes) - before, GROWTH_BYTES)
      }),
    { timeout: 120_000 }
  )

  it.effect(
    "stops the server by no query, with or without a key",
    () =>
      Effect.gen(function* () {
        const requests = QUERIES.flatMap(([path, parameters]) =>
          parameters.flatMap((parameter) =>
            shapes(5_000).map(
              ([shape, text]) =>
                [
                  `${path}?${parameter}: ${shape}`,
                  { path: `${path}?${parameter}=${encodeURIComponent(text).slice(0, 15_000)}`, headers: asAdmin }
                ] as const
            )
          )
        )
        const raw = ["&", "?", "a=1&", "%", "+", "=", "name=a&"].map(
          (unit) =>
            [
              `query of ${unit}`,
              { path: `/api/v1/workloads?${unit.repeat(15_000 / unit.length)}`, headers: asAdmin }
            ] as const
        )
        const long = ["/", "%2f", "a/", "..;/", "%c0"].map(
          (unit) => [`path of ${unit}`, { path: `/${unit.repeat(15_000 / unit.length)}` }] as const
        )
        assert.deepStrictEqual(yield* tooDear([...requests, ...raw, ...long], PROCESSOR_MS), [])
      }),
    { timeout: 120_000 }
  )
})
