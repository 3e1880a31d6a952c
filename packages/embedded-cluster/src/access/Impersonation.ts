/**
 * Requests on behalf of somebody else: who may be whom.
 *
 * **Source** Kubernetes, "Authenticating: user impersonation" and KEP-5284, constrained impersonation;
 * `k8s.io/apiserver/pkg/endpoints/filters/impersonation`.
 */
import { Result } from "effect"
import type { Attributes, Authorize } from "../core/Authorize.ts"
import { badRequest, type Failure, type Outcome } from "../core/Status.ts"
import type { User } from "../core/User.ts"
import { refusal } from "./Authorization.ts"

/** Whom the sender wants to be. */
export interface Wanted {
  readonly name: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The headers of a request, each with all of its values. **Shape** names are in lower case. */
export type Headers = Readonly<Record<string, ReadonlyArray<string> | undefined>>

const EXTRA = "impersonate-extra-"

/** Reads whom a request's headers ask for. **Errors** 400 for a group or anything else without a name. */
export const wanted = (headers: Headers): Outcome<Wanted | undefined> => {
  if (!isAsked(headers)) return Result.succeed(undefined)
  const [name = ""] = headers["impersonate-user"] ?? []
  const [uid = ""] = headers["impersonate-uid"] ?? []
  const groups = headers["impersonate-group"] ?? []
  const extra = Object.fromEntries(
    Object.entries(headers).flatMap(([header, values]) =>
      header.startsWith(EXTRA) && values !== undefined ? [[unescape(header.slice(EXTRA.length)), values] as const] : []
    )
  )
  if (name !== "") return Result.succeed({ name, uid, groups, extra })
  if (uid === "" && groups.length === 0 && Object.keys(extra).length === 0) return Result.succeed(undefined)
  return Result.fail(badRequest("who asks for a group, uid or extra must name a user in Impersonate-User"))
}

const isAsked = (headers: Headers): boolean => Object.keys(headers).some((header) => header.startsWith("impersonate-"))

const unescape = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    // A broken escape is a name like any other.
    return key
  }
}

const AUTHENTICATION = "authentication.k8s.io"
const ANONYMOUS = "system:anonymous"
const AUTHENTICATED = "system:authenticated"
const UNAUTHENTICATED = "system:unauthenticated"
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/**
 * Makes the sender whom they want to be.
 *
 * **Shape** one of two rights will do: `impersonate`, or the narrower pair that is bound to the request.
 *
 * **Errors** 403.
 */
export const assume = (authorize: Authorize, sender: User, asked: Wanted, request: Attributes): Outcome<User> => {
  const account = ACCOUNT.exec(asked.name)
  const bare = asked.uid === "" && asked.groups.length === 0 && Object.keys(asked.extra).length === 0
  const mode = account === null ? "user-info" : bare ? "serviceaccount" : undefined
  const narrow =
    mode === undefined
      ? undefined
      : firstRefusal(authorize, sender, [
          { ...request, verb: `impersonate-on:${mode}:${request.verb}` },
          ...identity(asked, `impersonate:${mode}`, AUTHENTICATION)
        ])
  if (mode !== undefined && narrow === undefined) return Result.succeed(userOf(asked))
  const wide = firstRefusal(authorize, sender, identity(asked, "impersonate", ""))
  return wide === undefined ? Result.succeed(userOf(asked)) : Result.fail(narrow ?? wide)
}

/** What one has to be allowed in order to be somebody. **Shape** `group` is the API group of users and groups. */
const identity = (asked: Wanted, verb: string, group: string): ReadonlyArray<Attributes> => {
  const on = (of: string, resource: string, name: string, subresource = "", namespace = ""): Attributes => ({
    _tag: "Resource",
    verb,
    group: of,
    namespace,
    resource,
    name,
    subresource
  })
  const [, namespace, name] = ACCOUNT.exec(asked.name) ?? []
  return [
    namespace === undefined || name === undefined
      ? on(group, "users", asked.name)
      : on(group, "serviceaccounts", name, "", namespace),
    ...(asked.uid === "" ? [] : [on(AUTHENTICATION, "uids", asked.uid)]),
    ...asked.groups.map((one) => on(group, "groups", one)),
    ...Object.entries(asked.extra).flatMap(([key, values]) =>
      values.map((value) => on(AUTHENTICATION, "userextras", value, key))
    )
  ]
}

const firstRefusal = (authorize: Authorize, sender: User, all: ReadonlyArray<Attributes>): Failure | undefined => {
  const refused = all.find((attributes) => !authorize(sender, attributes).allowed)
  return refused === undefined ? undefined : refusal(sender, refused)
}

const userOf = ({ extra, groups, name, uid }: Wanted): User => {
  const [, namespace] = ACCOUNT.exec(name) ?? []
  const own =
    groups.length === 0 && namespace !== undefined
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups
  const last = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED
  const complete = own.includes(last) || own.includes(UNAUTHENTICATED) ? own : [...own, last]
  return {
    name,
    groups: complete,
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra })
  }
}
