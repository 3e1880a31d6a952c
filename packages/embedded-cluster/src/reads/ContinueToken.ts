/**
 * The place where a page of a list ends.
 *
 * **Source** Kubernetes, `k8s.io/apiserver/pkg/storage/continue.go`.
 */
import { Result, Schema } from "effect"
import { badRequest, type Outcome } from "../core/Status.ts"

/**
 * Where the next page of a list starts, and which version it shows.
 *
 * **Shape** `start` is the first key that the next page may hold; `revision` is the version that all pages show, and -1
 * when the pages that follow show whatever is there by then.
 */
export interface ContinueToken {
  readonly revision: number
  readonly start: string
}

const Wire = Schema.fromJsonString(
  Schema.Struct({ v: Schema.Literal("meta.k8s.io/v1"), rv: Schema.Int, start: Schema.NonEmptyString })
)
const decodeWire = Schema.decodeUnknownResult(Wire)

/** Prints a token as clients carry it: base64url without padding. */
export const print = ({ revision, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `/${start}` })).toString("base64url")

/** The token of the page that follows a key: keys hold no character below it. */
export const after = (key: string, revision: number): ContinueToken => ({ revision, start: `${key}\u0000` })

/**
 * Parses a token.
 *
 * **Errors** 400 BadRequest for anything that {@link print} does not print.
 */
export const parse = (text: string): Outcome<ContinueToken> => {
  const wire = decodeWire(Buffer.from(text, "base64url").toString())
  if (Result.isFailure(wire)) return refuse("it must be one of this server")
  const { rv, start } = wire.success
  if (rv === 0 || rv < -1) return refuse("its version must be positive, or -1")
  if (start.split("/").includes("..")) return refuse("its key must not lead upwards")
  return Result.succeed({ revision: rv, start: start.startsWith("/") ? start.slice(1) : start })
}

const refuse = (message: string) => Result.fail(badRequest(`invalid continue token: ${message}`))
