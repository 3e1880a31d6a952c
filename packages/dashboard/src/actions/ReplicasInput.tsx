/**
 * Input for a number of replicas.
 */
import { NumberInput } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"

/** Maximum number of replicas that the server accepts. */
const MAX_REPLICAS = 10_000

/** Returns true if the input is a number that the server accepts. */
export const isReplicas = (value: number | string): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_REPLICAS

interface Props {
  readonly label: string
  readonly value: number | string
  /** An empty field is not an error. */
  readonly mayBeEmpty?: boolean
  readonly onChange: (value: number | string) => void
}

export const ReplicasInput = ({ label, mayBeEmpty = false, onChange, value }: Props) => (
  <NumberInput
    label={label}
    value={value}
    onChange={onChange}
    min={0}
    max={MAX_REPLICAS}
    allowDecimal={false}
    error={
      isReplicas(value) || (mayBeEmpty && value === "")
        ? undefined
        : `A whole number from 0 to ${Quantity.count(MAX_REPLICAS)}`
    }
    data-autofocus
  />
)
