/**
 * What a key is for.
 */
import { TextInput } from "@mantine/core"
import type { Faults, KeyDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly faults: Faults
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const DescriptionField = ({ draft, faults, onChange }: Props) => (
  <TextInput
    label="Description"
    description="What the key is for. Optional."
    value={draft.description}
    onChange={(event) => onChange({ description: event.currentTarget.value })}
    error={faults["description"]}
    maxLength={256}
    autoComplete="off"
  />
)
