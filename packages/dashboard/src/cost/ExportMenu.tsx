/**
 * Menu that saves a report as a file, or prints the page.
 */
import { Button, Menu } from "@mantine/core"
import { useAction } from "../api/useAction.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"

interface Props {
  readonly files: ReadonlyArray<readonly [format: string, note: string, save: () => Promise<void>]>
}

export const ExportMenu = ({ files }: Props) => {
  const { failure, isRunning, run } = useAction()
  return (
    <div className="qd-cost-controls">
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="default" loading={isRunning}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {files.map(([format, note, save]) => (
            <Menu.Item key={format} onClick={() => void run(save)} rightSection={note}>
              {format}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => globalThis.print()}>Print</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {failure === undefined ? undefined : <FailureAlert failure={failure} />}
    </div>
  )
}
