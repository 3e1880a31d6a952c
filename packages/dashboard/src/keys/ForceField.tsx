/**
 * Checkbox that confirms revoking or narrowing the last Admin without a scope.
 */
import { Checkbox } from "@mantine/core"
import type { ApiFailure } from "../api/Client.ts"

interface Props {
  readonly label: string
  readonly failure: ApiFailure | undefined
  readonly isForced: boolean
  readonly onChange: (isForced: boolean) => void
}

/** Shown only after the server has refused. */
export const ForceField = ({ failure, isForced, label, onChange }: Props) =>
  failure?.code === "last_admin" || isForced ? (
    <Checkbox
      label={label}
      description="Then no key is an Admin of every cluster and namespace. Only a keys file of the deployment can add one again."
      checked={isForced}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ) : undefined
