/**
 * Continue tokens of paged lists.
 *
 * **Source** Kubernetes, `k8s.io/apiserver/pkg/storage/continue.go`.
 */
import { Result, Schema } from "effect"
import { badRequest, type Outcome } from "../core/Status.ts"

/**
 * The start of the next page, and the revision that it shows.
 *
 * **Shape** `start` is the lowest key of the next page. `revision` is the same for all pages; -1: the remaining pages
 * show the current state.
 */
export interface ContinueToken {
  readonly revision: number
  readonly start: string
}

const Wire = Schema.fromJsonString(
  Schema.Struct({ v: Schema.Literal("meta.k8s.io/v1"), rv: Schema.Int, start: Schema.NonEmptyString })
)
const decodeWire = Schema.decodeUnknownResult(Wire)

/** Prints a token for clients: base64url without padding. */
export const print = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `/${start}` })).toString("base64url")

/** Token of the page after a key. No character of a key is below `\u0000`. */
export const after = (key: string, revision: number): ContinueToken => ({ revision, start: `${key}\u0000` })

/**
 * Parses a token.
 *
 * **Errors** 400 BadRequest for any text that {@link print} does not print.
 */
export const parse = (text: string): Outcome<ContinueToken> => {
  const wire = decodeWire(Buffer.from(text, "base64url").toString())
  if (Result.isFailure(wire)) return refuse("it is not a token of this server")
  const { rv, start } = wire.success
  if (rv === 0 || rv < -1) return refuse("its resource version must be positive or -1")
  if (start.split("/").includes("..")) return refuse('its key must not contain ".."')
  return Result.succeed({ revision: rv, start: start.startsWith("/") ? start.slice(1) : start })
}

const refuse = (message: string) => Result.fail(badRequest(`invalid continue token: ${message}`))
