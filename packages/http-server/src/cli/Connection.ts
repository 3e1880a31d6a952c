/**
 * Which server the client commands speak to, and with which key.
 *
 * @since 0.1.0
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { Surroundings } from "../settings/Surroundings.ts"
import { misused } from "./CommandFailure.ts"

/** **Shape** `base` has no slash at its end; `authorization` is the header's value, `clusterHeader` the target's name. */
export interface Connection {
  readonly base: string
  readonly authorization: Redacted.Redacted
  readonly clusterHeader: string
}

/** The flag that every client command has; the key is never a flag, which other users of the machine could read. */
export const urlFlag = Flag.String("url").pipe(
  Flag.withMetavar("URL"),
  Flag.withDescription("Address of the server [QUARTERDECK_URL]"),
  Flag.optional
)

/**
 * Reads the connection: the flag, else `QUARTERDECK_URL`; the key from `QUARTERDECK_API_KEY`; the target header's name
 * from `QUARTERDECK_CLUSTER_HEADER`, else the default.
 *
 * **Errors** `CommandFailure` with exit code 2, one line for each that is missing or not usable, the key never shown.
 *
 * @since 0.1.0
 */
export const read = Effect.fn("Connection.read")(function*(flag: Option.Option<string>) {
  const { variables } = yield* Surroundings
  const text = Option.getOrElse(flag, () => variables["QUARTERDECK_URL"] ?? "")
  const key = Redacted.make(variables["QUARTERDECK_API_KEY"] ?? "")
  const clusterHeader = variables["QUARTERDECK_CLUSTER_HEADER"] ?? ClusterHeader.DEFAULT_NAME

  const base = baseOf(text)
  const authorization = authorizationOf(key)
  const problems = [
    ...(text === "" ? ["no server: give --url or set QUARTERDECK_URL, such as http://127.0.0.1:8080"] : []),
    ...(text !== "" && base === undefined
      ? [`${Option.isSome(flag) ? "--url" : "QUARTERDECK_URL"} must be an http:// or https:// address without user, password, query or fragment`]
      : []),
    ...(Redacted.value(key) === "" ? ["no key: set QUARTERDECK_API_KEY"] : []),
    ...(Redacted.value(key) !== "" && authorization === undefined
      ? ["QUARTERDECK_API_KEY holds a control character, which no key can have"]
      : [])
  ]
  if (problems.length > 0 || base === undefined || authorization === undefined) return yield* misused(...problems)
  return { base, authorization, clusterHeader } satisfies Connection
})

const baseOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  const usable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    && !/[\s?#]/.test(text)
  return usable ? `${url.origin}${url.pathname.replace(/\/+$/, "")}` : undefined
}

/** A key that is one token goes as Bearer; any other text that a deployment chose, as the password of Basic. */
const authorizationOf = (key: Redacted.Redacted): Redacted.Redacted | undefined => {
  const text = Redacted.value(key)
  if (text === "" || /\p{Cc}/u.test(text)) return undefined
  const value = /^[!-+\--~]+$/.test(text) ? `Bearer ${text}` : `Basic ${Buffer.from(`:${text}`, "utf8").toString("base64")}`
  return Redacted.make(value)
}
