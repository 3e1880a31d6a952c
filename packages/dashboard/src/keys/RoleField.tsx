/**
 * Field for a key's role.
 */
import { Radio, Stack } from "@mantine/core"
import type { Role } from "../api/Shapes.ts"

/** Roles in ascending order of power. */
const ROLES: ReadonlyArray<readonly [Role, string]> = [
  ["Viewer", "Can see clusters, workloads and costs"],
  ["Operator", "Can also scale, restart, pause and resume workloads"],
  ["Admin", "Can also manage keys inside its own rule"]
]

interface Props {
  readonly role: Role
  /** Higher roles are not offered. */
  readonly highest: Role
  readonly onChange: (role: Role) => void
}

export const RoleField = ({ highest, onChange, role }: Props) => (
  <Radio.Group
    label="Role"
    value={role}
    onChange={(value) => onChange(ROLES.find(([name]) => name === value)?.[0] ?? "Viewer")}
  >
    <Stack gap="xs" mt={6}>
      {ROLES.slice(0, ROLES.findIndex(([name]) => name === highest) + 1).map(([name, description]) => (
        <Radio key={name} value={name} label={name} description={description} />
      ))}
    </Stack>
  </Radio.Group>
)
