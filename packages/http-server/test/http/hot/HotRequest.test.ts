import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import * as HotRequest from "../../../src/http/hot/HotRequest.ts"
import * as Kind from "../../../src/settings/Kind.ts"

type Lines = ReadonlyArray<readonly [name: string, value: string]>

const requestOf = (url: string, lines: Lines, method = "GET"): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.url = url
  request.rawHeaders = lines.flat()
  return request
}

const LIST = "/api/v1/workloads"
const KEY: Lines = [["Authorization", "Bearer one"]]
const keyOf = (url: string, lines: Lines) => HotRequest.read(requestOf(url, lines))?.key

/** What the parser of a server lets through: no end of a line, and no blank around a value. */
const Text = Schema.String.check(Schema.isPattern(/^[\u0021-\u007e](?:[\u0020-\u007e]{0,10}[\u0021-\u007e])?$/))
const Name = Schema.Literals(["Authorization", "X-Service-Cluster", "Cookie", "Accept", "X-Anything", "Host"])
const Request = Schema.Struct({
  query: Schema.String.check(
    Schema.isPattern(/^[a-z=&\n ]{0,6}$/),
    Schema.makeFilter((text) => !/[\n ]/.test(text))
  ),
  key: Text,
  lines: Schema.Array(Schema.Tuple([Name, Text])).check(Schema.isMaxLength(4))
})

const linesOf = ({ key, lines }: typeof Request.Type): Lines => [["Authorization", `Bearer ${key}`], ...lines]
const urlOf = ({ query }: typeof Request.Type) => `${LIST}?${query}`
const wordsOf = (request: typeof Request.Type) =>
  JSON.stringify([urlOf(request), linesOf(request).map(([name, value]) => [name.toLowerCase(), value])])

describe("what two requests share an answer by", () => {
  it.prop("two keys never share one, nor do two requests of other words", [Request, Request], ([one, other]) => {
    const isSame = wordsOf(one) === wordsOf(other)
    assert.strictEqual(keyOf(urlOf(one), linesOf(one)) === keyOf(urlOf(other), linesOf(other)), isSame)
    assert.notStrictEqual(keyOf(urlOf(one), linesOf(one)), keyOf(urlOf(one), linesOf({ ...one, key: `${one.key}x` })))
  })

  it.prop("a caller is known by all but the query", [Request, Request], ([one, other]) => {
    const callerOf = (request: typeof Request.Type) =>
      HotRequest.read(requestOf(urlOf(request), linesOf(request)))?.callerKey
    const isSame = wordsOf({ ...one, query: "" }) === wordsOf({ ...other, query: "" })
    assert.strictEqual(callerOf(one) === callerOf(other), isSame)
    assert.strictEqual(callerOf(one), callerOf({ ...one, query: other.query }))
  })

  it("what stands in one header is not taken for another, wherever the line ends", () => {
    const keys = [
      keyOf(LIST, [...KEY, ["Accept", "a"], ["Cookie", "b"]]),
      keyOf(LIST, [...KEY, ["Accept", "a cookie b"]]),
      keyOf(LIST, [...KEY, ["Cookie", "b"], ["Accept", "a"]]),
      keyOf(`${LIST}?accept=a`, [...KEY, ["Cookie", "b"]]),
      keyOf(LIST, [...KEY, ...KEY])
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("the headers of each request are no part of it, and are read", () => {
    const bare = HotRequest.read(requestOf(LIST, KEY))
    const named = HotRequest.read(
      requestOf(LIST, [
        ["X-Request-Id", "a"],
        ["If-None-Match", 'W/"x"'],
        ...KEY,
        ["if-none-match", '"y"'],
        ["X-Forwarded-For", "192.0.2.1"],
        ["X-Forwarded-Proto", "https"],
        ["traceparent", "00-1-2-01"]
      ])
    )
    assert.deepStrictEqual(named, {
      ...bare,
      key: bare?.key ?? "",
      callerKey: bare?.callerKey ?? "",
      path: LIST,
      ifNoneMatch: 'W/"x", "y"',
      requestId: "a",
      url: LIST
    })
  })

  it("the key holds nothing of the credential", () => {
    assert.match(keyOf(LIST, [["Authorization", "Bearer secret-of-somebody"]]) ?? "", /^[0-9a-f]{64}$/)
  })

  it.each<[string, IncomingMessage]>([
    ["another method", requestOf(LIST, KEY, "HEAD")],
    ["another route", requestOf("/api/v1/whoami", KEY)],
    ["another spelling of the path", requestOf("/api/v1/workloads/", KEY)],
    ["another letter case of the path", requestOf("/API/v1/workloads", KEY)],
    ["a path with parameters of its own", requestOf("/api/v1/workloads;a=1", KEY)],
    ["a whole address", requestOf("http://127.0.0.1/api/v1/workloads", KEY)],
    ["no credential, or that of a session", requestOf(LIST, [["Cookie", "qd_session=1"]])],
    ["a page", requestOf(LIST, [...KEY, ["Origin", "http://127.0.0.1"]])],
    ["a body", requestOf(LIST, [...KEY, ["Content-Length", "2"]])],
    ["a body of unknown length", requestOf(LIST, [...KEY, ["Transfer-Encoding", "chunked"]])],
    ["an upgrade", requestOf(LIST, [...KEY, ["Upgrade", "websocket"]])],
    ["an expectation", requestOf(LIST, [...KEY, ["Expect", "100-continue"]])]
  ])("the ordinary way for %s", (_, request) => {
    assert.isUndefined(HotRequest.read(request))
  })
})

describe("the headers that may differ between requests of one answer", () => {
  it.each([...HotRequest.OF_EACH])("%s cannot be the name of the cluster header", (name) => {
    assert.isTrue(Option.isNone(Kind.decode(Kind.headerName.fromText, name)))
  })
})
