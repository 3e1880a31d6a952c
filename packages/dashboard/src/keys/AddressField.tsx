/**
 * Field for the client addresses that may use a key.
 */
import { TagsInput } from "@mantine/core"
import type { FieldErrors } from "../form/FieldErrors.ts"
import type { KeyDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly errors: FieldErrors
  /** Ranges that the addresses must lie inside; absent if any address is allowed. */
  readonly outer: ReadonlyArray<string> | undefined
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const AddressField = ({ draft, errors, onChange, outer }: Props) => (
  <TagsInput
    label="Allowed from"
    description={
      outer === undefined
        ? "Client addresses, such as 203.0.113.0/24 or 2001:db8::/32. Press Enter to add one. Empty: any address."
        : `Client addresses inside ${outer.join(", ")}. Press Enter to add one.`
    }
    value={[...draft.allowFrom]}
    onChange={(allowFrom) => onChange({ allowFrom })}
    error={errors["allowFrom"]}
    splitChars={[",", " "]}
    clearButtonProps={{ "aria-label": "Remove every address" }}
  />
)
