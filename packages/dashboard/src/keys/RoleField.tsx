/**
 * The part of the form that says what a key may do.
 */
import { Radio, Stack } from "@mantine/core"
import type { Role } from "../api/Shapes.ts"

/** From the least to the most powerful. */
const ROLES: ReadonlyArray<readonly [Role, string]> = [
  ["Viewer", "Sees clusters, workloads and costs"],
  ["Operator", "Sees them, and may act on workloads"],
  ["Admin", "Does that, and manages keys inside its own rule"]
]

interface Props {
  readonly role: Role
  /** Higher ones are not offered. */
  readonly highest: Role
  readonly onChange: (role: Role) => void
}

export const RoleField = ({ highest, onChange, role }: Props) => (
  <Radio.Group
    label="Role"
    value={role}
    onChange={(value) => onChange(ROLES.find(([one]) => one === value)?.[0] ?? "Viewer")}
  >
    <Stack gap="xs" mt={6}>
      {ROLES.slice(0, ROLES.findIndex(([one]) => one === highest) + 1).map(([one, description]) => (
        <Radio key={one} value={one} label={one} description={description} />
      ))}
    </Stack>
  </Radio.Group>
)
