/**
 * Field for a key's description.
 */
import { TextInput } from "@mantine/core"
import type { FieldErrors } from "../form/FieldErrors.ts"
import type { KeyDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly errors: FieldErrors
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const DescriptionField = ({ draft, errors, onChange }: Props) => (
  <TextInput
    label="Description"
    description="Purpose of the key. Optional."
    value={draft.description}
    onChange={(event) => onChange({ description: event.currentTarget.value })}
    error={errors["description"]}
    maxLength={256}
    autoComplete="off"
  />
)
