import { createTheme, type CSSVariablesResolver } from "@mantine/core"

/** The lighter shades of the palette do not stand out enough from their ground to be read by everybody. */
export const theme = createTheme({
  primaryColor: "blue",
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  headings: { fontWeight: "650" },
  respectReducedMotion: true
})

/** The quieter greys are made dark enough, or light enough, for 4.5 to 1. */
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
