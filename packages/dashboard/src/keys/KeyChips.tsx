/**
 * Chips that filter the list by marks, each with its number of keys.
 */
import { Chip, Group } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"
import { LABELS, type Mark, MARKS } from "./KeyMarks.ts"

interface Props {
  readonly chosen: ReadonlyArray<Mark>
  readonly counts: Readonly<Record<Mark, number>>
  readonly onChange: (chosen: ReadonlyArray<Mark>) => void
}

export const KeyChips = ({ chosen, counts, onChange }: Props) => (
  <Group gap="xs" role="group" aria-label="Keys to review">
    {MARKS.map((mark) => (
      <Chip
        key={mark}
        size="sm"
        variant="outline"
        checked={chosen.includes(mark)}
        onChange={(isChosen) => onChange(MARKS.filter((other) => (other === mark ? isChosen : chosen.includes(other))))}
      >
        {LABELS[mark]} {Quantity.count(counts[mark])}
      </Chip>
    ))}
  </Group>
)
