/**
 * A filter field with a few values.
 */
import { NativeSelect } from "@mantine/core"

interface Props {
  readonly label: string
  /** Label of the choice that matches every row. */
  readonly every: string
  readonly values: ReadonlyArray<string>
  readonly chosen: string | undefined
  /** Called with the chosen value. The empty string matches every row. */
  readonly onChoose: (value: string) => void
  /** Width on screens wider than a phone. **Units** pixels. */
  readonly width?: number
}

export const FilterSelect = ({ chosen = "", every, label, onChoose, values, width = 150 }: Props) => (
  <NativeSelect
    label={label}
    value={chosen}
    onChange={({ currentTarget: { value } }) => onChoose(value)}
    data={[{ value: "", label: every }, ...values]}
    w={{ base: "47%", xs: width }}
  />
)
