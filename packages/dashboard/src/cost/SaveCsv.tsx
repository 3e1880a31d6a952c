/**
 * Button that saves a report as a CSV file.
 */
import { Button } from "@mantine/core"
import { useAction } from "../api/useAction.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"

export const SaveCsv = ({ onSave }: { readonly onSave: () => Promise<void> }) => {
  const { failure, isRunning, run } = useAction()
  return (
    <>
      <Button variant="default" loading={isRunning} onClick={() => void run(onSave)}>
        Save as CSV
      </Button>
      {failure === undefined ? undefined : <FailureAlert failure={failure} />}
    </>
  )
}
