/**
 * The server and the key that client commands use.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { isLoopback } from "../../limits/Loopback.ts"
import * as Kind from "../../settings/Kind.ts"
import { Surroundings } from "../../settings/Surroundings.ts"
import { misused } from "../print/CommandFailure.ts"
import * as Print from "../print/Print.ts"

/**
 * A server and the credentials for it.
 *
 * **Shape** `base` is the server's address without a trailing slash, `authorization` the value of the Authorization header,
 * `clusterHeader` the name of the cluster header.
 */
export interface Connection {
  readonly base: string
  readonly authorization: Redacted.Redacted
  readonly clusterHeader: string
}

/** The address flag of every client command. The key is never a flag: other users of the machine could read it. */
export const urlFlag = Flag.String("url").pipe(
  Flag.withMetavar("URL"),
  Flag.withDescription("Address of the server [QUARTERDECK_URL]; the key is read from QUARTERDECK_API_KEY"),
  Flag.optional
)

/**
 * Reads the address from the flag or `QUARTERDECK_URL`, the key from `QUARTERDECK_API_KEY`, and the header's name from
 * `QUARTERDECK_CLUSTER_HEADER` or its default. Warns about an `http:` address of another machine.
 *
 * **Errors** `CommandFailure` with exit code 2 and a line for each value that is missing or invalid. No line shows the key.
 */
export const read = Effect.fn("Connection.read")(function* (flag: Option.Option<string>) {
  const { variables } = yield* Surroundings
  const text = Option.getOrElse(flag, () => variables["QUARTERDECK_URL"] ?? "")
  const key = Redacted.make(variables["QUARTERDECK_API_KEY"] ?? "")
  const clusterHeader = variables["QUARTERDECK_CLUSTER_HEADER"] ?? ClusterHeader.DEFAULT_NAME

  const base = Option.getOrUndefined(Kind.decode(Kind.endpoint.fromText, text))?.replace(/\/+$/, "")
  const authorization = authorizationOf(key)
  const problems = [
    ...(text === "" ? ["no server: give --url or set QUARTERDECK_URL, such as http://127.0.0.1:8080"] : []),
    ...(text !== "" && base === undefined
      ? [`${Option.isSome(flag) ? "--url" : "QUARTERDECK_URL"} must be ${Kind.endpoint.allowed}`]
      : []),
    ...(Redacted.value(key) === "" ? ["no key: set QUARTERDECK_API_KEY"] : []),
    ...(Redacted.value(key) !== "" && authorization === undefined
      ? ["QUARTERDECK_API_KEY holds a control character, which no key can have"]
      : []),
    ...(Option.isNone(Kind.decode(Kind.headerName.fromText, clusterHeader))
      ? [`QUARTERDECK_CLUSTER_HEADER must be ${Kind.headerName.allowed}`]
      : [])
  ]
  if (problems.length > 0 || base === undefined || authorization === undefined) return yield* misused(...problems)
  yield* warnOfPlainHttp(base)
  return { base, authorization, clusterHeader } satisfies Connection
})

/** Warns if the key would cross a network unencrypted. */
const warnOfPlainHttp = (base: string) => {
  const { hostname, protocol } = new URL(base)
  if (protocol !== "http:" || isLoopback(hostname)) return Effect.void
  return Print.note(`${base} is plain HTTP, so the API key crosses the network unencrypted; use an https:// address`)
}

/** Makes the header's value: Bearer for a key that is one token, else Basic with the key as the password. */
const authorizationOf = (key: Redacted.Redacted): Redacted.Redacted | undefined => {
  const text = Redacted.value(key)
  if (text === "" || /\p{Cc}/u.test(text)) return undefined
  const value = /^[!-+\--~]+$/.test(text)
    ? `Bearer ${text}`
    : `Basic ${Buffer.from(`:${text}`, "utf8").toString("base64")}`
  return Redacted.make(value)
}
