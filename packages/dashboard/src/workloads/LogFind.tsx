/**
 * Finds a text in a log, counts the matches, and steps from one match to the next.
 */
import { Button, Group, Text, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { SEARCH_FIELD } from "../keyboard/Shortcuts.ts"
import * as Quantity from "../format/Quantity.ts"
import { find, type Match } from "./LogText.ts"

interface Found {
  readonly matches: ReadonlyArray<Match>
  readonly length: number
  readonly current: Match | undefined
}

interface Props {
  readonly lines: ReadonlyArray<string>
  readonly children: (found: Found) => ReactNode
}

export const LogFind = ({ children, lines }: Props) => {
  const [text, setText] = useState("")
  /** Index of the current match; undefined before the first step. */
  const [place, setPlace] = useState<number>()
  const matches = find(lines, text)
  const current = place === undefined ? undefined : matches[place % Math.max(matches.length, 1)]
  const step = (by: 1 | -1) => {
    if (matches.length === 0) return
    const from = place ?? (by === 1 ? -1 : 0)
    setPlace((from + by + matches.length) % matches.length)
  }
  return (
    <>
      <Group gap="xs" align="flex-end">
        <TextInput
          type="search"
          label="Find in the log"
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value)
            setPlace(undefined)
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") step(event.shiftKey ? -1 : 1)
          }}
          autoComplete="off"
          spellCheck={false}
          {...SEARCH_FIELD}
        />
        <Button variant="default" disabled={matches.length === 0} onClick={() => step(-1)} aria-label="Previous match">
          ↑
        </Button>
        <Button variant="default" disabled={matches.length === 0} onClick={() => step(1)} aria-label="Next match">
          ↓
        </Button>
        <Text size="sm" role="status" data-matches={matches.length}>
          {text === "" ? "" : matchText(matches, current)}
        </Text>
      </Group>
      {children({ matches, length: text.length, current })}
    </>
  )
}

const matchText = (matches: ReadonlyArray<Match>, current: Match | undefined): string => {
  if (matches.length === 0) return "No match"
  const all = Quantity.counted(matches.length, "match", "matches")
  return current === undefined ? all : `${Quantity.count(matches.indexOf(current) + 1)} of ${all}`
}
