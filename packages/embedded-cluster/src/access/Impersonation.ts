/**
 * User impersonation: requests that run as another user.
 *
 * **Source** Kubernetes, "Authenticating: user impersonation" and KEP-5284, constrained impersonation;
 * `k8s.io/apiserver/pkg/endpoints/filters/impersonation`.
 */
import { Result } from "effect"
import type { Attributes, Authorize } from "../core/Authorize.ts"
import { badRequest, type Failure, type Outcome } from "../core/Status.ts"
import type { User } from "../core/User.ts"
import { refusal } from "./Authorization.ts"

/** The user that the sender asks to impersonate. */
export interface ImpersonatedUser {
  readonly name: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Headers of a request, each with all of its values. **Shape** names are in lower case. */
export type Headers = Readonly<Record<string, ReadonlyArray<string> | undefined>>

const EXTRA = "impersonate-extra-"

/** Reads the impersonation headers of a request. **Errors** 400 for a group, uid or extra without a user name. */
export const fromHeaders = (headers: Headers): Outcome<ImpersonatedUser | undefined> => {
  if (!hasHeaders(headers)) return Result.succeed(undefined)
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
  return Result.fail(
    badRequest("Impersonate-Group, Impersonate-Uid and Impersonate-Extra headers require Impersonate-User")
  )
}

const hasHeaders = (headers: Headers): boolean =>
  Object.keys(headers).some((header) => header.startsWith("impersonate-"))

const unescape = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    // A broken escape stays in the name.
    return key
  }
}

const AUTHENTICATION = "authentication.k8s.io"
const ANONYMOUS = "system:anonymous"
const AUTHENTICATED = "system:authenticated"
const UNAUTHENTICATED = "system:unauthenticated"
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/**
 * Authorizes the impersonation and returns the impersonated user.
 *
 * **Shape** the sender needs the verb `impersonate`. Constrained impersonation instead needs `impersonate:<mode>` on
 * the user and `impersonate-on:<mode>:<verb>` on the object of the request.
 *
 * **Errors** 403.
 */
export const impersonate = (
  authorize: Authorize,
  sender: User,
  target: ImpersonatedUser,
  request: Attributes
): Outcome<User> => {
  const account = ACCOUNT.exec(target.name)
  const bare = target.uid === "" && target.groups.length === 0 && Object.keys(target.extra).length === 0
  const mode = account === null ? "user-info" : bare ? "serviceaccount" : undefined
  const narrow =
    mode === undefined
      ? undefined
      : firstRefusal(authorize, sender, [
          { ...request, verb: `impersonate-on:${mode}:${request.verb}` },
          ...identity(target, `impersonate:${mode}`, AUTHENTICATION)
        ])
  if (mode !== undefined && narrow === undefined) return Result.succeed(userOf(target))
  const wide = firstRefusal(authorize, sender, identity(target, "impersonate", ""))
  return wide === undefined ? Result.succeed(userOf(target)) : Result.fail(narrow ?? wide)
}

/** Permissions that the sender needs to impersonate a user. **Shape** `group` is the API group of users and groups. */
const identity = (target: ImpersonatedUser, verb: string, group: string): ReadonlyArray<Attributes> => {
  const on = (of: string, resource: string, name: string, subresource = "", namespace = ""): Attributes => ({
    _tag: "Resource",
    verb,
    group: of,
    namespace,
    resource,
    name,
    subresource
  })
  const [, namespace, name] = ACCOUNT.exec(target.name) ?? []
  return [
    namespace === undefined || name === undefined
      ? on(group, "users", target.name)
      : on(group, "serviceaccounts", name, "", namespace),
    ...(target.uid === "" ? [] : [on(AUTHENTICATION, "uids", target.uid)]),
    ...target.groups.map((one) => on(group, "groups", one)),
    ...Object.entries(target.extra).flatMap(([key, values]) =>
      values.map((value) => on(AUTHENTICATION, "userextras", value, key))
    )
  ]
}

const firstRefusal = (authorize: Authorize, sender: User, all: ReadonlyArray<Attributes>): Failure | undefined => {
  const refused = all.find((attributes) => !authorize(sender, attributes).allowed)
  return refused === undefined ? undefined : refusal(sender, refused)
}

const userOf = ({ extra, groups, name, uid }: ImpersonatedUser): User => {
  const [, namespace] = ACCOUNT.exec(name) ?? []
  const explicit =
    groups.length === 0 && namespace !== undefined
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups
  const last = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED
  const complete = explicit.includes(last) || explicit.includes(UNAUTHENTICATED) ? explicit : [...explicit, last]
  return {
    name,
    groups: complete,
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra })
  }
}
