/**
 * Tokens of service accounts: what they say, and whom they stand for.
 *
 * **Source** Kubernetes, `pkg/serviceaccount`; KEP-1205.
 */
import { arrayAt, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, type Stored } from "../core/Stored.ts"

/** Somebody a token stands for. **Shape** `extra` says what the token is bound to. */
export interface Bearer {
  readonly name: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
  /** For whom the token was made. */
  readonly audiences: ReadonlyArray<string>
}

/** An object whose end ends a token. */
export interface Bound {
  readonly claim: "pod" | "secret" | "node"
  readonly stored: Stored
}

/** Who signs, and the audience of a token that names none. */
export const issuerOf = ({ place }: Kernel): string => `https://127.0.0.1:${place.port}/`

/** Whose tokens are taken: this server's, and those of the clusters that it goes on from. */
export const issuersOf = (kernel: Kernel): ReadonlyArray<string> => [issuerOf(kernel), ...kernel.pastIssuers]

/** Kinds that a token may be bound to, by the name of their claim. */
export const BINDABLE: ReadonlyMap<string, { readonly claim: Bound["claim"]; readonly resource: Resource }> = new Map([
  ["Pod", { claim: "pod", resource: Resources.pods }],
  ["Secret", { claim: "secret", resource: Resources.secrets }],
  ["Node", { claim: "node", resource: Resources.nodes }]
])

/** Signs a token. **Units** `seconds` from now until it ends. */
export const issue = (
  kernel: Kernel,
  account: Stored,
  options: {
    readonly audiences: ReadonlyArray<string>
    readonly seconds: number
    readonly bound: Bound | undefined
  }
): string => {
  const now = Math.floor(kernel.nowMs() / 1_000)
  const { audiences, bound, seconds } = options
  return kernel.tokens.sign({
    aud: [...audiences],
    exp: now + seconds,
    iat: now,
    iss: issuerOf(kernel),
    jti: kernel.uid(),
    "kubernetes.io": {
      namespace: account.namespace,
      ...(bound === undefined ? {} : { [bound.claim]: { name: bound.stored.name, uid: bound.stored.uid } }),
      serviceaccount: { name: account.name, uid: account.uid }
    },
    nbf: now,
    sub: `system:serviceaccount:${account.namespace}:${account.name}`
  })
}

/** Whether a text looks like a token of ours, so that it is worth verifying. */
const isToken = (text: string): boolean => text.split(".").length === 3

/**
 * Finds whom a token stands for.
 *
 * **Shape** `undefined` for a token that is not of this cluster, has ended, or whose account or object is gone.
 */
export const bearerOf = (kernel: Kernel, token: string): Bearer | undefined => {
  const claims = isToken(token) ? kernel.tokens.verify(token) : undefined
  if (claims === undefined || !issuersOf(kernel).includes(textAt(claims, "iss"))) return undefined
  const seconds = kernel.nowMs() / 1_000
  if (seconds >= (numberAt(claims, "exp") ?? 0) || seconds < (numberAt(claims, "nbf") ?? 0)) return undefined
  const facts = objectAt(claims, "kubernetes.io")
  const namespace = textAt(facts, "namespace")
  const name = textAt(facts, "serviceaccount", "name")
  const account = kernel.store.get(Resources.serviceAccounts, keyOf(namespace, name))
  if (account === undefined || account.uid !== textAt(facts, "serviceaccount", "uid")) return undefined
  const bound = boundIn(kernel, facts)
  if (bound === "gone") return undefined
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid: account.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${textAt(claims, "jti")}`],
      ...bound
    },
    audiences: arrayAt(claims, "aud").filter((one) => typeof one === "string")
  }
}

const boundIn = (kernel: Kernel, facts: JsonObject): Record<string, ReadonlyArray<string>> | "gone" => {
  const extra: Record<string, ReadonlyArray<string>> = {}
  for (const { claim, resource } of BINDABLE.values()) {
    const uid = textAt(facts, claim, "uid")
    if (uid === "") continue
    const name = textAt(facts, claim, "name")
    const stored = kernel.store.get(resource, keyOf(resource.namespaced ? textAt(facts, "namespace") : "", name))
    if (stored?.uid !== uid) return "gone"
    if (claim === "secret") continue
    extra[`authentication.kubernetes.io/${claim}-name`] = [name]
    extra[`authentication.kubernetes.io/${claim}-uid`] = [uid]
  }
  return extra
}
