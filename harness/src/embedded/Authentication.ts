/**
 * Who sends a request: bearer tokens that were given at the start, or nobody.
 *
 * @since 0.1.0
 */
import { Redacted, Result } from "effect"
import { createHash } from "node:crypto"
import { type Outcome, unauthorized } from "./Status.ts"

export interface User {
  readonly name: string
  readonly groups: ReadonlyArray<string>
}

/** Finds the user behind the value of an Authorization header. */
export type Authenticate = (authorization: string | undefined) => Outcome<User>

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] }

/**
 * Knows users by their tokens.
 *
 * **Shape** no header is {@link anonymous}; **Errors** 401 for a header that is no token of a user.
 *
 * **Limits** keeps digests only, so that neither a look-up's time nor a heap dump shows a token.
 */
export const make = (
  users: Iterable<{
    readonly name: string
    readonly groups: ReadonlyArray<string>
    readonly token: Redacted.Redacted<string>
  }>
): Authenticate => {
  const known = new Map(
    [...users].map(({ groups, name, token }) => {
      const user: User = { name, groups: [...groups.filter((group) => group !== AUTHENTICATED), AUTHENTICATED] }
      return [digest(Redacted.value(token)), user] as const
    })
  )
  return (authorization) => {
    if (authorization === undefined || authorization === "") return Result.succeed(anonymous)
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    const user = token === undefined ? undefined : known.get(digest(token))
    return user === undefined ? Result.fail(unauthorized) : Result.succeed(user)
  }
}

const AUTHENTICATED = "system:authenticated"

const digest = (token: string): string => createHash("sha256").update(token).digest("base64")
