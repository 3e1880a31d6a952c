import { Stack, Text } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"
import type { DayCost } from "./DayCosts.ts"

/** Coverage below this share of the day is shown. */
const WHOLE = 0.95

/** Cost of a cluster in the last day, and its coverage if it is incomplete. */
export const DayCostText = ({ cost }: { readonly cost: DayCost | undefined }) => {
  if (cost === undefined || cost.hoursCovered === 0) {
    return (
      <Text size="sm" c="dimmed">
        {cost === undefined ? Quantity.UNKNOWN : "no data yet"}
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
          {Quantity.percent(cost.hoursCovered / cost.hoursInWindow)} of the day covered
        </Text>
      )}
    </Stack>
  )
}
