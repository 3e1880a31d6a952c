/**
 * Keyboard shortcuts of every page.
 */
import { useLocalStorage } from "@mantine/hooks"
import { useEffect, useRef } from "react"

/** Maximum time between `g` and the second key. */
const CHORD_MS = 1_500

export interface ShortcutActions {
  /** Opens the page of a key. Returns false if no page has the key. */
  readonly goTo: (key: string) => boolean
  readonly showHelp: () => void
  readonly showPalette: () => void
}

/**
 * The user's setting for single-key shortcuts. **Source** WCAG 2.2, 2.1.4 Character Key Shortcuts: they can be turned off.
 */
export const useKeysSetting = () =>
  useLocalStorage({ key: "quarterdeck-single-keys", defaultValue: true, getInitialValueInEffect: false })

/** Marks the field that `/` focuses. */
export const SEARCH_FIELD = { "data-search": "" } as const

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement
  && (target.isContentEditable || (target.matches("input, textarea, select") && !target.matches(PRESSED_FIELDS)))

/** Fields that accept no text. */
const PRESSED_FIELDS = "[type=checkbox], [type=radio], [type=button], [type=submit]"

const isDialogOpen = (): boolean => document.querySelector("[role=dialog][aria-modal=true]") !== null

/** Handles the shortcuts while the caller is mounted. */
export const useShortcuts = ({ goTo, showHelp, showPalette }: ShortcutActions): void => {
  const [hasKeys] = useKeysSetting()
  const startedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || isDialogOpen()) return
      if (event.ctrlKey || event.metaKey) {
        if (event.key.toLowerCase() !== "k" || event.shiftKey) return
        event.preventDefault()
        showPalette()
        return
      }
      if (!hasKeys || isTyping(event.target)) return
      const isSecond = event.timeStamp - startedAt.current <= CHORD_MS
      startedAt.current = Number.NEGATIVE_INFINITY
      if (isSecond) {
        if (goTo(event.key)) event.preventDefault()
        return
      }
      if (event.key === "g") startedAt.current = event.timeStamp
      if (event.key === "?") {
        event.preventDefault()
        showHelp()
      }
      if (event.key === "/") {
        const field = document.querySelector<HTMLElement>("[data-search]")
        event.preventDefault()
        if (field === null) showPalette()
        else field.focus()
      }
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [goTo, hasKeys, showHelp, showPalette])
}
