/**
 * URL of a proxy in front of an API server.
 *
 * **Source** kubeconfig `clusters[].cluster.proxy-url`; client-go supports the same schemes.
 */
import { Result } from "effect"

/** URL schemes, with their colon. With both SOCKS5 schemes the proxy resolves host names, as in Go. */
export const SCHEMES: ReadonlyArray<string> = ["http:", "https:", "socks5:", "socks5h:"]

/** Longer than any real address. */
const MAX_LENGTH = 2_048

/** Why a URL cannot be used. **Shape** `problem` is a clause that follows the field's name. */
export interface Fault {
  readonly code: "contextIncomplete" | "proxyUnsupported"
  readonly problem: string
}

/** Parses a proxy's URL. **Errors** why it cannot be used, without quoting a password. */
export const parse = (text: string): Result.Result<string, Fault> => {
  if (text.length > MAX_LENGTH) return unusable(`is longer than ${MAX_LENGTH} characters`)
  const url = URL.parse(text)
  if (url === null || url.hostname === "") return unusable("is not a URL with a host")
  if (!SCHEMES.includes(url.protocol)) {
    const schemes = SCHEMES.map((scheme) => scheme.slice(0, -1)).join(", ")
    const problem = `has the scheme ${url.protocol.slice(0, -1)}; supported are ${schemes}`
    return Result.fail({ code: "proxyUnsupported", problem })
  }
  if (!isDecodable(url.username) || !isDecodable(url.password))
    return unusable("has a user name or password that is not percent-encoded UTF-8")
  return Result.succeed(url.href)
}

const unusable = (problem: string) => Result.fail<Fault>({ code: "contextIncomplete", problem })

const isDecodable = (text: string): boolean =>
  Result.isSuccess(Result.try({ try: () => decodeURIComponent(text), catch: () => "malformed" }))
