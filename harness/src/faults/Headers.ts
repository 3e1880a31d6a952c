/**
 * Headers of requests and replies that pass through a proxy.
 *
 * **Source** RFC 9110, section 7.6.1: connection-specific headers are not forwarded.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"

const CONNECTION_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // The host is that of the proxy, and the proxy itself has already answered `Expect: 100-continue`.
  "host",
  "expect"
])

/**
 * Returns a request's headers for the cluster: names and values alternate, repeated headers included.
 *
 * `asText` requests a body that the stages can parse: JSON without compression.
 */
export const forCluster = (
  { headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">,
  asText: boolean
): Array<string> => {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/))
  const passed: Array<string> = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2)
    const key = name.toLowerCase()
    if (CONNECTION_HEADERS.has(key) || named.has(key)) continue
    if (asText && key === "accept-encoding") continue
    passed.push(name, asText && key === "accept" ? withoutProtobuf(value) : value)
  }
  return passed
}

/** Returns a reply's headers for the client. Keeps `connection: close` if the cluster closes its connection. */
export const forClient = (
  headers: Readonly<Record<string, string | Array<string> | undefined>>,
  options: { readonly lengthHolds: boolean }
): OutgoingHttpHeaders => {
  const passed = Object.entries(headers).filter(
    ([name]) => !CONNECTION_HEADERS.has(name) && (options.lengthHolds || name !== "content-length")
  )
  const closes = String(headers["connection"]).toLowerCase() === "close"
  return Object.fromEntries(closes ? [...passed, ["connection", "close"]] : passed)
}

const withoutProtobuf = (accept: string): string => {
  const ranges = accept.split(",")
  const others = ranges.filter((range) => !range.includes("protobuf"))
  return (others.length === 0 ? ranges : others).join(",")
}
