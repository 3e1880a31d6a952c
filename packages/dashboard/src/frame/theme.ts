/**
 * The look of the page: theme, text colours, and the nonce of its styles.
 */
import { createTheme, type CSSVariablesResolver } from "@mantine/core"

/** Shade 8 has enough contrast to the background. Lighter shades do not. */
export const theme = createTheme({
  primaryColor: "blue",
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  headings: { fontWeight: "650" },
  respectReducedMotion: true
})

/** Text colours with a contrast of at least 4.5 to 1. **Source** WCAG 2.2, 1.4.3 Contrast (Minimum). */
export const colors: CSSVariablesResolver = ({ colors: { dark, gray } }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": gray?.[7] ?? "",
    "--mantine-color-placeholder": gray?.[7] ?? "",
    "--mantine-color-error": "var(--mantine-color-red-9)"
  },
  dark: {
    "--mantine-color-dimmed": dark?.[1] ?? "",
    "--mantine-color-placeholder": dark?.[1] ?? "",
    "--mantine-color-error": "var(--mantine-color-red-4)"
  }
})

/** The global that style libraries read. */
declare global {
  var __webpack_nonce__: string | undefined
}

/** Nonce of the page's Content-Security-Policy. Styles without it are blocked. */
export const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? ""

// react-remove-scroll, which locks the page behind an open dialog, adds a style and reads the nonce here.
globalThis.__webpack_nonce__ = nonce
