/**
 * The client addresses that a key may be used from.
 */
import { TagsInput } from "@mantine/core"
import type { FieldErrors } from "../form/FieldErrors.ts"
import type { KeyDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly errors: FieldErrors
  /** The ranges that these must lie inside; everywhere when absent. */
  readonly outer: ReadonlyArray<string> | undefined
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const AddressField = ({ draft, errors, onChange, outer }: Props) => (
  <TagsInput
    label="Allowed from"
    description={
      outer === undefined
        ? "Client addresses, such as 203.0.113.0/24 or 2001:db8::/32. Enter adds one. None: from anywhere."
        : `Client addresses inside ${outer.join(", ")}. Enter adds one.`
    }
    value={[...draft.allowFrom]}
    onChange={(allowFrom) => onChange({ allowFrom })}
    error={errors["allowFrom"]}
    splitChars={[",", " "]}
    clearButtonProps={{ "aria-label": "Remove every address" }}
  />
)
