/**
 * The list of keyboard shortcuts.
 */
import { Group, Kbd, Modal, Stack, Switch, Table, Text } from "@mantine/core"
import { useKeysSetting } from "./Shortcuts.ts"

interface Props {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The key to press after `g`, and the page that it opens. */
  readonly places: ReadonlyArray<readonly [key: string, label: string]>
}

export const ShortcutHelp = ({ isOpen, onClose, places }: Props) => {
  const [hasKeys, setKeys] = useKeysSetting()
  const rows: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["/"], "Search this page"],
    [["Ctrl", "K"], "Find a page, a cluster or an action (⌘ K on a Mac)"],
    [["?"], "Show this help"],
    ...places.map(([key, label]) => [["g", key], `Go to ${label}`] as const)
  ]
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="md">
        <Table aria-label="Keyboard shortcuts">
          <Table.Tbody>
            {rows.map(([keys, label]) => (
              <Table.Tr key={label}>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </Group>
                </Table.Td>
                <Table.Td>{label}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" c="dimmed">
          Tab and Shift+Tab move between fields, Enter opens, Escape closes.
        </Text>
        <Switch
          label="Single-key shortcuts"
          description="Turn this off if a screen reader or voice control needs these keys. Ctrl K keeps working."
          checked={hasKeys}
          onChange={(event) => setKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
