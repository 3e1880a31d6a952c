/**
 * Who sends a request: bearer tokens that were given at the start, tokens of service accounts, or nobody.
 */
import { Redacted, Result } from "effect"
import { hash } from "node:crypto"
import type { Kernel } from "../core/Kernel.ts"
import { type Outcome, unauthorized } from "../core/Status.ts"
import type { User } from "../core/User.ts"
import * as ServiceAccountTokens from "./ServiceAccountTokens.ts"

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

/** Finds whom a token stands for, if it is for one of the audiences; gives those that fit. */
export type Identify = (
  token: string,
  audiences: ReadonlyArray<string>
) => { readonly user: User; readonly audiences: ReadonlyArray<string> } | undefined

/** How a cluster knows its callers. */
export interface Authentication {
  readonly authenticate: Authenticate
  readonly identify: Identify
}

/** Knows users by their tokens, and service accounts by those that the cluster has signed. */
export const forCluster = (kernel: Kernel, users: Parameters<typeof make>[0]): Authentication => {
  const known = make(users)
  const identify: Identify = (token, audiences) => {
    const own = ServiceAccountTokens.issuerOf(kernel)
    const bearer = ServiceAccountTokens.bearerOf(kernel, token)
    if (bearer !== undefined) {
      const fitting = audiences.filter((one) => bearer.audiences.includes(one))
      const { extra, groups, name, uid } = bearer
      const user: User = { name, uid, extra, groups: [...groups, AUTHENTICATED] }
      return fitting.length === 0 ? undefined : { user, audiences: fitting }
    }
    // A token that was given at the start is for this server alone.
    const given = audiences.includes(own) ? known(`Bearer ${token}`) : undefined
    return given !== undefined && Result.isSuccess(given) ? { user: given.success, audiences: [own] } : undefined
  }
  return {
    identify,
    authenticate: (authorization) => {
      const given = known(authorization)
      if (Result.isSuccess(given)) return given
      const token = tokenIn(authorization ?? "")
      const found = token === undefined ? undefined : identify(token, ServiceAccountTokens.issuersOf(kernel))
      return found === undefined ? given : Result.succeed(found.user)
    }
  }
}

const tokenIn = (authorization: string): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization)?.[1]

const AUTHENTICATED = "system:authenticated"

const digest = (token: string): string => hash("sha256", token, "base64")
