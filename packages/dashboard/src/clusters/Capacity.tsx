/**
 * The part of a cluster's capacity that its pods request.
 */
import { Progress, Stack, Text } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"

interface Props {
  /** Name of the resource: CPU or Memory. */
  readonly name: string
  readonly requested: number | null | undefined
  readonly allocatable: number | null
  readonly print: (value: number | null | undefined) => string
}

/** Share of requested capacity above which the bar is orange. */
const NEARLY_FULL = 0.9

export const Capacity = ({ allocatable, name, print, requested }: Props) => {
  if (allocatable === null) {
    return (
      <Text size="sm" c="dimmed" className="qd-number">
        {requested === null || requested === undefined ? Quantity.UNKNOWN : `${print(requested)} requested`}
      </Text>
    )
  }
  if (requested === null || requested === undefined) {
    return (
      <Text size="sm" className="qd-number">
        {print(allocatable)}
      </Text>
    )
  }
  const share = allocatable === 0 ? 0 : requested / allocatable
  return (
    <Stack gap={2} miw={130}>
      {/* Lines break only between the two parts. */}
      <Text size="sm">
        <span className="qd-number">{print(requested)}</span>{" "}
        <Text span size="xs" c="dimmed" className="qd-number">
          of {print(allocatable)}, {Quantity.percent(share)}
        </Text>
      </Text>
      <Progress
        value={Math.min(100, share * 100)}
        color={share > NEARLY_FULL ? "orange" : "blue"}
        size="sm"
        aria-label={`${name}: ${Quantity.percent(share)} of the capacity requested`}
      />
    </Stack>
  )
}
