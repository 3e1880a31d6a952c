import { Stack, Text } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"
import type { DayCost } from "./DayCosts.ts"

/** Less than this part of the day is said to be seen in part. */
const WHOLE = 0.95

/** What a cluster cost in the last day, and for how much of it it was seen. */
export const DayCostText = ({ cost }: { readonly cost: DayCost | undefined }) => {
  if (cost === undefined || cost.hoursCovered === 0) {
    return (
      <Text size="sm" c="dimmed">
        {cost === undefined ? Quantity.UNKNOWN : "not seen yet"}
      </Text>
    )
  }
  const isWhole = cost.hoursCovered >= cost.hoursInWindow * WHOLE
  return (
    <Stack gap={0}>
      <Text size="sm" className="qd-number">
        {Quantity.money(cost.cost, cost.currency)}
      </Text>
      {isWhole ? undefined : (
        <Text size="xs" c="dimmed" className="qd-number">
          {Quantity.percent(cost.hoursCovered / cost.hoursInWindow)} of it seen
        </Text>
      )}
    </Stack>
  )
}
