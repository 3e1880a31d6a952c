/**
 * A field whose text counts once its reader pauses.
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
  /** Whether `/` goes to it. */
  readonly isSearch?: boolean
}

/** Typing that pauses for so long is a question. */
const PAUSE_MS = 250

export const TypedField = ({ isSearch = false, label, onPause, placeholder, value }: Props) => {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // The address changed by something else: a link, the button that clears.
  if (known !== value) {
    setKnown(value)
    setText(value)
  }
  const say = useDebouncedCallback((next: string) => {
    setKnown(next.trim())
    onPause(next.trim())
  }, PAUSE_MS)
  const location = useLocation()
  const cameBy = useNavigationType()
  // What was typed just before would narrow what a link shows. Filters replace the address, and go together with what is typed.
  useEffect(() => {
    if (cameBy === NavigationType.Replace) return
    say.cancel()
    setText(value)
  }, [cameBy, location, say, value])
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        say(currentTarget.value)
      }}
      spellCheck={false}
      autoComplete="off"
      w={{ base: "100%", xs: 220 }}
      {...(isSearch ? SEARCH_FIELD : {})}
    />
  )
}
