/**
 * Links to the organization's identity provider, which redirects back to the page.
 */

/** True if the server has an identity provider. The server writes it into the page. */
export const isConfigured =
  document.querySelector<HTMLMetaElement>("meta[name=quarterdeck-sign-in]")?.content === "provider"

/** Returns the link that signs in and comes back to a page. */
export const loginAddress = (hash: string): string => {
  const place = hash.replace(/^#/, "")
  return `auth/oidc/login${place === "" || place === "/" ? "" : `?place=${encodeURIComponent(place)}`}`
}

/** Link that signs out here and at the provider. */
export const LOGOUT_ADDRESS = "auth/oidc/logout"

/** Returns true if the caller signed in at the provider, not with a key. */
export const isPerson = ({ id }: { readonly id: string }): boolean => id.startsWith("oidc:")

const REFUSALS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  expired: ["You were not signed in", "The sign-in took too long, or was started in another browser. Try again."],
  refused: [
    "You were not signed in",
    "Your organization's identity provider refused, or sent an invalid answer. The server's log has the reason."
  ],
  no_rule: [
    "You were not signed in",
    "None of your groups has a rule on this server. Ask its administrators for access."
  ],
  unavailable: [
    "You were not signed in",
    "Your organization's identity provider, or the server's store, does not answer. Try again in a moment."
  ]
}

const PARAMETER = "oidc"

/** Reads the refusal from the address and removes it there, so that a reload does not show it again. */
const takeRefusal = (): readonly [title: string, text: string] | undefined => {
  const url = new URL(location.href)
  const code = url.searchParams.get(PARAMETER)
  if (code === null) return undefined
  url.searchParams.delete(PARAMETER)
  history.replaceState(history.state, "", url)
  return REFUSALS[code]
}

/** Title and text of a failed sign-in at the provider. */
export const refusal = takeRefusal()
