import { Badge } from "@mantine/core"
import type { Status } from "../api/Shapes.ts"

/** Dark enough on their ground to be read by everybody; the word says it too. */
const COLORS: Readonly<Record<Status, string>> = {
  active: "teal.9",
  expiring: "#a03c00",
  expired: "gray.7",
  revoked: "red.9"
}

export const StatusBadge = ({ status }: { readonly status: Status }) => (
  <Badge color={COLORS[status]} variant="filled" tt="none" miw="max-content">
    {status}
  </Badge>
)
