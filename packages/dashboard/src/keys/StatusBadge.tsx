import { Badge } from "@mantine/core"
import type { Status } from "../api/Shapes.ts"

/** Colours with enough contrast to their background. The text says the same as the colour. */
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
