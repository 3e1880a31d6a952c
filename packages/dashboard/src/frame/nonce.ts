/** Names the property that libraries of styles read. */
declare global {
  var __webpack_nonce__: string | undefined
}

/** The word of this page's reply that lets its styles pass the policy. */
export const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? ""

// What locks the page behind an open dialog makes a style of its own, and reads it here.
globalThis.__webpack_nonce__ = nonce
