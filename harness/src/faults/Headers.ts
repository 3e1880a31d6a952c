/**
 * Headers on their way through a proxy.
 *
 * **Source** RFC 9110, section 7.6.1: what belongs to one connection is not passed on.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"

const OF_ONE_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // The cluster is addressed by its own name, and the proxy has already said that it wants the body.
  "host",
  "expect"
])

/**
 * Gives a request's headers for the cluster, name and value in turn, repeated ones too.
 *
 * `asText` asks for a body that stages can read: JSON, not compressed.
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
    if (OF_ONE_CONNECTION.has(key) || named.has(key)) continue
    if (asText && key === "accept-encoding") continue
    passed.push(name, asText && key === "accept" ? withoutProtobuf(value) : value)
  }
  return passed
}

/** Gives a reply's headers for the client, who is told too when the cluster ends the connection behind it. */
export const forClient = (
  headers: Readonly<Record<string, string | Array<string> | undefined>>,
  options: { readonly lengthHolds: boolean }
): OutgoingHttpHeaders => {
  const passed = Object.entries(headers).filter(
    ([name]) => !OF_ONE_CONNECTION.has(name) && (options.lengthHolds || name !== "content-length")
  )
  const closes = String(headers["connection"]).toLowerCase() === "close"
  return Object.fromEntries(closes ? [...passed, ["connection", "close"]] : passed)
}

const withoutProtobuf = (accept: string): string => {
  const ranges = accept.split(",")
  const others = ranges.filter((range) => !range.includes("protobuf"))
  return (others.length === 0 ? ranges : others).join(",")
}
