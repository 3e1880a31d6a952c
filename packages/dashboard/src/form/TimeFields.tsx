/**
 * Fields for the period of a page: a preset or custom dates.
 */
import { NativeSelect, type StyleProp, TextInput } from "@mantine/core"
import { CUSTOM } from "./TimeRange.ts"

interface Days {
  readonly from: string
  readonly to: string
}

interface Props {
  readonly ranges: ReadonlyArray<readonly [range: string, label: string]>
  /**
   * The chosen period.
   *
   * **Shape** `range` is one of `ranges`, or {@link CUSTOM}. `from` and `to` are days in the user's time zone, both inclusive.
   */
  readonly time: Days & { readonly range: string }
  readonly onRange: (range: string) => void
  readonly onDays: (part: Partial<Days>) => void
  readonly widths: { readonly range: Width; readonly day: Width }
}

type Width = StyleProp<number | string>

export const TimeFields = ({ onDays, onRange, ranges, time, widths }: Props) => (
  <>
    <NativeSelect
      label="Period"
      value={time.range}
      onChange={({ currentTarget: { value } }) => onRange(value)}
      data={[...ranges.map(([value, label]) => ({ value, label })), { value: CUSTOM, label: "Custom dates" }]}
      w={widths.range}
    />
    {time.range === CUSTOM ? (
      <>
        <TextInput
          type="date"
          label="From"
          value={time.from}
          max={time.to === "" ? undefined : time.to}
          onChange={(event) => onDays({ from: event.currentTarget.value })}
          w={widths.day}
        />
        <TextInput
          type="date"
          label="To (inclusive)"
          value={time.to}
          min={time.from === "" ? undefined : time.from}
          onChange={(event) => onDays({ to: event.currentTarget.value })}
          w={widths.day}
        />
      </>
    ) : undefined}
  </>
)
