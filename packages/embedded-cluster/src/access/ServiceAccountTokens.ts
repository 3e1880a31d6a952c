/**
 * Issues and verifies service account tokens.
 *
 * **Source** Kubernetes, `pkg/serviceaccount`; KEP-1205.
 */
import { arrayAt, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, type Stored } from "../core/Stored.ts"

/** The service account of a token. **Shape** `extra` has the objects that the token is bound to. */
export interface Bearer {
  readonly name: string
  readonly uid: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
  readonly audiences: ReadonlyArray<string>
}

/** An object that a token is bound to. The token becomes invalid when the object is deleted. */
export interface Bound {
  readonly claim: "pod" | "secret" | "node"
  readonly stored: Stored
}

/** Issuer of this server's tokens, and default audience of a token. */
export const issuerOf = ({ place }: Kernel): string => `https://127.0.0.1:${place.port}/`

/** Accepted issuers: this server, and the clusters from whose saved state it started. */
export const issuersOf = (kernel: Kernel): ReadonlyArray<string> => [issuerOf(kernel), ...kernel.pastIssuers]

/** Kinds that a token may be bound to, and the claim that names the object. */
export const BINDABLE: ReadonlyMap<string, { readonly claim: Bound["claim"]; readonly resource: Resource }> = new Map([
  ["Pod", { claim: "pod", resource: Resources.pods }],
  ["Secret", { claim: "secret", resource: Resources.secrets }],
  ["Node", { claim: "node", resource: Resources.nodes }]
])

/** Signs a token. **Units** `seconds`: lifetime from now. */
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

/** Returns whether a text has the form of a JSON Web Token. */
const isToken = (text: string): boolean => text.split(".").length === 3

/**
 * Verifies a token and returns its service account.
 *
 * **Shape** `undefined` if another cluster signed the token, it has expired, or its account or bound object was
 * deleted.
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
