/**
 * A field that narrows a list to one of a few values, or to none of them.
 */
import { NativeSelect } from "@mantine/core"

interface Props {
  readonly label: string
  /** What the field says while it narrows nothing. */
  readonly every: string
  readonly values: ReadonlyArray<string>
  readonly chosen: string | undefined
  /** Called with what is chosen; the empty text narrows nothing. */
  readonly onChoose: (value: string) => void
  /** Where the page is wider than a telephone. **Units** pixels. */
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
