/** The global that style libraries read. */
declare global {
  var __webpack_nonce__: string | undefined
}

/** Nonce of the page's Content-Security-Policy. Styles without it are blocked. */
export const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? ""

// react-remove-scroll, which locks the page behind an open dialog, adds a style and reads the nonce here.
globalThis.__webpack_nonce__ = nonce
