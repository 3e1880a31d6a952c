/**
 * How many replicas a workload shall have.
 */
import { NumberInput } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"

/** As many as the server takes. */
const MOST = 10_000

/** Whether what was typed is a number that the server takes. */
export const isReplicas = (value: number | string): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST

interface Props {
  readonly label: string
  readonly value: number | string
  /** Nothing is no fault where nobody has typed yet. */
  readonly mayBeEmpty?: boolean
  readonly onChange: (value: number | string) => void
}

export const ReplicasInput = ({ label, mayBeEmpty = false, onChange, value }: Props) => (
  <NumberInput
    label={label}
    value={value}
    onChange={onChange}
    min={0}
    max={MOST}
    allowDecimal={false}
    error={
      isReplicas(value) || (mayBeEmpty && value === "") ? undefined : `A whole number from 0 to ${Quantity.count(MOST)}`
    }
    data-autofocus
  />
)
