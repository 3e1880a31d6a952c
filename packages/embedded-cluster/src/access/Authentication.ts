/**
 * Identifies the sender of a request by a configured bearer token or a service account token. Without credentials,
 * the sender is anonymous.
 */
import { Redacted, Result } from "effect"
import { hash } from "node:crypto"
import type { Kernel } from "../core/Kernel.ts"
import { type Outcome, unauthorized } from "../core/Status.ts"
import type { User } from "../core/User.ts"
import * as ServiceAccountTokens from "./ServiceAccountTokens.ts"

/** Returns the user whom the value of an Authorization header identifies. */
export type Authenticate = (authorization: string | undefined) => Outcome<User>

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] }

/**
 * Identifies users by their configured tokens.
 *
 * **Shape** without a header the user is {@link anonymous}. **Errors** 401 if the header has no valid token.
 *
 * **Limits** stores only digests: tokens do not appear in heap dumps, and the time of a look-up does not reveal them.
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
      const user: User = {
        name,
        uid: name,
        groups: [...groups.filter((group) => group !== AUTHENTICATED), AUTHENTICATED]
      }
      return [digest(Redacted.value(token)), user] as const
    })
  )
  return (authorization) => {
    if (authorization === undefined || authorization === "") return Result.succeed(anonymous)
    const token = tokenIn(authorization)
    const user = token === undefined ? undefined : known.get(digest(token))
    return user === undefined ? Result.fail(unauthorized) : Result.succeed(user)
  }
}

/**
 * Returns the user of a token and the audiences that the token is valid for, if any of the requested audiences is
 * among them.
 */
export type Identify = (
  token: string,
  audiences: ReadonlyArray<string>
) => { readonly user: User; readonly audiences: ReadonlyArray<string> } | undefined

export interface Authentication {
  readonly authenticate: Authenticate
  readonly identify: Identify
}

/** Identifies users by their configured tokens, and service accounts by tokens that the cluster signed. */
export const forCluster = (kernel: Kernel, users: Parameters<typeof make>[0]): Authentication => {
  const known = make(users)
  const identify: Identify = (token, audiences) => {
    const issuer = ServiceAccountTokens.issuerOf(kernel)
    const bearer = ServiceAccountTokens.bearerOf(kernel, token)
    if (bearer !== undefined) {
      const fitting = audiences.filter((one) => bearer.audiences.includes(one))
      const { extra, groups, name, uid } = bearer
      const user: User = { name, uid, extra, groups: [...groups, AUTHENTICATED] }
      return fitting.length === 0 ? undefined : { user, audiences: fitting }
    }
    // A configured token is valid only for this server.
    const user = audiences.includes(issuer) ? known(`Bearer ${token}`) : undefined
    return user !== undefined && Result.isSuccess(user) ? { user: user.success, audiences: [issuer] } : undefined
  }
  return {
    identify,
    authenticate: (authorization) => {
      const configured = known(authorization)
      if (Result.isSuccess(configured)) return configured
      const token = tokenIn(authorization ?? "")
      const found = token === undefined ? undefined : identify(token, ServiceAccountTokens.issuersOf(kernel))
      return found === undefined ? configured : Result.succeed(found.user)
    }
  }
}

const tokenIn = (authorization: string): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

const AUTHENTICATED = "system:authenticated"

const digest = (token: string): string => hash("sha256", token, "base64")
