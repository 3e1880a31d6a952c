/**
 * The deliberate way past the refusal to end or narrow the last Admin of everything.
 */
import { Checkbox } from "@mantine/core"
import type { ApiFailure } from "../api/Client.ts"

interface Props {
  readonly label: string
  readonly failure: ApiFailure | undefined
  readonly isForced: boolean
  readonly onChange: (isForced: boolean) => void
}

/** Is offered once the server has refused, and not before. */
export const ForceField = ({ failure, isForced, label, onChange }: Props) =>
  failure?.code === "last_admin" || isForced ? (
    <Checkbox
      label={label}
      description="Nobody will be an Admin of every cluster and namespace then. Only a keys file of the deployment lets one in again."
      checked={isForced}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ) : undefined
