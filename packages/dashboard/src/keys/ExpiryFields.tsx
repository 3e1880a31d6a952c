/**
 * Fields for a key's expiry.
 */
import type { DateTime } from "effect"
import { Fieldset, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core"
import { fullTextOf } from "../feedback/Instant.tsx"
import type { ExpiryDraft } from "./KeyDraft.ts"

interface ValueProps {
  readonly expiry: ExpiryDraft
  readonly error: string | undefined
  readonly onChange: (expiry: ExpiryDraft) => void
}

interface Props extends ValueProps {
  /** Expiry of the caller's own key. A new key must not outlive it. */
  readonly latest: DateTime.Utc | undefined
}

/** Initial value of each kind of expiry. */
export const STARTS: Readonly<Record<ExpiryDraft["_tag"], ExpiryDraft>> = {
  Never: { _tag: "Never" },
  After: { _tag: "After", count: "90", unit: "d" },
  On: { _tag: "On", date: "" }
}

const isTag = (value: string): value is ExpiryDraft["_tag"] => Object.hasOwn(STARTS, value)

export const ExpiryFields = ({ error, expiry, latest, onChange }: Props) => (
  <Fieldset legend="Expiry">
    <Stack gap="sm">
      <Radio.Group
        aria-label="Expiry"
        value={expiry._tag}
        onChange={(value) => {
          if (isTag(value)) onChange(STARTS[value])
        }}
      >
        <Stack gap="xs">
          <Radio value="After" label="After a duration" />
          <Radio value="On" label="On a date" />
          <Radio value="Never" label={latest === undefined ? "Never" : `With your own key, ${fullTextOf(latest)}`} />
        </Stack>
      </Radio.Group>
      <ExpiryValue expiry={expiry} error={error} onChange={onChange} />
    </Stack>
  </Fieldset>
)

/** Fields for the duration or the date. */
export const ExpiryValue = ({ error, expiry, onChange }: ValueProps) => (
  <>
    {expiry._tag === "After" ? (
      <Group align="flex-start" wrap="nowrap">
        <TextInput
          label="Valid for"
          inputMode="numeric"
          value={expiry.count}
          onChange={(event) => onChange({ ...expiry, count: event.currentTarget.value })}
          error={error}
          maxLength={4}
          w={180}
        />
        <NativeSelect
          label="Unit"
          value={expiry.unit}
          onChange={({ currentTarget: { value } }) => onChange({ ...expiry, unit: value === "y" ? "y" : "d" })}
          data={[
            { value: "d", label: "days" },
            { value: "y", label: "years of 365 days" }
          ]}
          w={180}
        />
      </Group>
    ) : undefined}
    {expiry._tag === "On" ? (
      <TextInput
        type="date"
        label="Last valid day"
        description="In your time zone."
        value={expiry.date}
        onChange={(event) => onChange({ ...expiry, date: event.currentTarget.value })}
        error={error}
        maw={220}
      />
    ) : undefined}
  </>
)
