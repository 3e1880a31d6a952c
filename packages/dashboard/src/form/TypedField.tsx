/**
 * A search field that reports its text when the user pauses typing.
 */
import { TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useEffect, useState } from "react"
import { NavigationType, useLocation, useNavigationType } from "react-router"
import { SEARCH_FIELD } from "../keyboard/Shortcuts.ts"

interface Props {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onPause: (value: string) => void
  /** Lets the `/` shortcut focus the field. */
  readonly isSearch?: boolean
}

/** Pause in typing after which the text is reported. */
const PAUSE_MS = 250

export const TypedField = ({ isSearch = false, label, onPause, placeholder, value }: Props) => {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // The address changed by other means, such as a link or the button that clears the filters.
  if (known !== value) {
    setKnown(value)
    setText(value)
  }
  const reportLater = useDebouncedCallback((next: string) => {
    setKnown(next.trim())
    onPause(next.trim())
  }, PAUSE_MS)
  const location = useLocation()
  const cameBy = useNavigationType()
  // Text typed just before a link was followed must not filter the new page. Filters replace the address instead of pushing it.
  useEffect(() => {
    if (cameBy === NavigationType.Replace) return
    reportLater.cancel()
    setText(value)
  }, [cameBy, location, reportLater, value])
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        reportLater(currentTarget.value)
      }}
      spellCheck={false}
      autoComplete="off"
      w={{ base: "100%", xs: 220 }}
      {...(isSearch ? SEARCH_FIELD : {})}
    />
  )
}
