/**
 * Finds pages, clusters and actions by name.
 */
import { Modal, Stack, Text, TextInput, UnstyledButton } from "@mantine/core"
import { useId } from "@mantine/hooks"
import { type KeyboardEvent, useState } from "react"

export interface Command {
  readonly label: string
  /** Kind of the command, such as Page or Cluster. */
  readonly group: string
  readonly run: () => void
}

interface Props {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly commands: ReadonlyArray<Command>
  /** Commands that search for the entered text. */
  readonly searches: (text: string) => ReadonlyArray<Command>
}

/** Commands shown at once. */
const SHOWN = 12

export const CommandPalette = ({ commands, isOpen, onClose, searches }: Props) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title="Go to"
    closeButtonProps={{ "aria-label": "Close" }}
    yOffset="10vh"
    size="lg"
  >
    <Finder commands={commands} searches={searches} onClose={onClose} />
  </Modal>
)

const matching = (commands: ReadonlyArray<Command>, text: string): ReadonlyArray<Command> => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ group, label }) => {
    const all = `${group} ${label}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

const Finder = ({ commands, onClose, searches }: Omit<Props, "isOpen">) => {
  const id = useId()
  const [text, setText] = useState("")
  const [place, setPlace] = useState(0)
  const found = [...matching(commands, text), ...(text.trim() === "" ? [] : searches(text.trim()))].slice(0, SHOWN)
  const active = Math.min(place, found.length - 1)
  const choose = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setPlace((active + 1) % Math.max(found.length, 1))
    else if (event.key === "ArrowUp") setPlace((active + found.length - 1) % Math.max(found.length, 1))
    else if (event.key === "Enter") choose(found[active])
    else return
    event.preventDefault()
  }
  return (
    <Stack gap="xs">
      <TextInput
        role="combobox"
        aria-label="Page, cluster or workload"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
        aria-autocomplete="list"
        placeholder="Page, cluster or workload"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setPlace(0)
        }}
        onKeyDown={press}
        data-autofocus
      />
      <div id={`${id}-list`} role="listbox" aria-label="Results">
        {found.map((command, index) => (
          <UnstyledButton
            key={`${command.group} ${command.label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            className="qd-option"
            onClick={() => choose(command)}
          >
            <Text span size="sm" className="qd-text">
              {command.label}
            </Text>
            <Text span size="xs" c="dimmed">
              {command.group}
            </Text>
          </UnstyledButton>
        ))}
      </div>
      {found.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          No page, cluster or action has this name.
        </Text>
      ) : undefined}
    </Stack>
  )
}
