/**
 * Signing in at the organization's identity provider, by links that leave the page and come back to it.
 */

/** Whether the server has such a provider: it says so in the page. */
export const isThere = document.querySelector<HTMLMetaElement>("meta[name=quarterdeck-sign-in]")?.content === "provider"

/** Gives the link that signs in and comes back to a place of the page. */
export const loginAddress = (hash: string): string => {
  const place = hash.replace(/^#/, "")
  return `auth/oidc/login${place === "" || place === "/" ? "" : `?place=${encodeURIComponent(place)}`}`
}

/** The link that signs out here and at the provider. */
export const LOGOUT_ADDRESS = "auth/oidc/logout"

/** Tells whether somebody signed in at the provider, and not with a key. */
export const isPerson = ({ id }: { readonly id: string }): boolean => id.startsWith("oidc:")

const REFUSALS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  expired: ["You were not signed in", "The sign-in took too long, or began in another browser. Try again."],
  refused: [
    "You were not signed in",
    "Your organization's provider refused, or its answer does not fit. The server's log says why."
  ],
  no_rule: [
    "You were not signed in",
    "Your organization knows you, but no group of yours has a rule here. Ask the people who run this server."
  ],
  unavailable: [
    "You were not signed in",
    "The provider of your organization, or the server's store, does not answer. Try again in a moment."
  ]
}

const PARAMETER = "oidc"

/** Takes what it reads off the address, so that a reload forgets it. */
const takeRefusal = (): readonly [title: string, text: string] | undefined => {
  const url = new URL(location.href)
  const code = url.searchParams.get(PARAMETER)
  if (code === null) return undefined
  url.searchParams.delete(PARAMETER)
  history.replaceState(history.state, "", url)
  return REFUSALS[code]
}

/** Why the way by the provider ended here without a sign-in, where it did. */
export const refusal = takeRefusal()
