/**
 * The part of the form that says until when a key is valid.
 */
import type { DateTime } from "effect"
import { Fieldset, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core"
import { fullTextOf } from "../feedback/Instant.tsx"
import type { ExpiryDraft } from "./KeyDraft.ts"

interface ValueProps {
  readonly expiry: ExpiryDraft
  readonly fault: string | undefined
  readonly onChange: (expiry: ExpiryDraft) => void
}

interface Props extends ValueProps {
  /** When the maker's own key ends, which what it makes does not outlive. */
  readonly latest: DateTime.Utc | undefined
}

/** What each way to expire begins with. */
export const STARTS: Readonly<Record<ExpiryDraft["_tag"], ExpiryDraft>> = {
  Never: { _tag: "Never" },
  After: { _tag: "After", count: "90", unit: "d" },
  On: { _tag: "On", date: "" }
}

const isTag = (value: string): value is ExpiryDraft["_tag"] => Object.hasOwn(STARTS, value)

export const ExpiryFields = ({ expiry, fault, latest, onChange }: Props) => (
  <Fieldset legend="Expiry">
    <Stack gap="sm">
      <Radio.Group
        aria-label="When the key ends"
        value={expiry._tag}
        onChange={(value) => {
          if (isTag(value)) onChange(STARTS[value])
        }}
      >
        <Stack gap="xs">
          <Radio value="After" label="After a time" />
          <Radio value="On" label="At the end of a day" />
          <Radio value="Never" label={latest === undefined ? "Never" : `With your own key, ${fullTextOf(latest)}`} />
        </Stack>
      </Radio.Group>
      <ExpiryValue expiry={expiry} fault={fault} onChange={onChange} />
    </Stack>
  </Fieldset>
)

/** What an expiry is reckoned from: how many days or years, or the last day. */
export const ExpiryValue = ({ expiry, fault, onChange }: ValueProps) => (
  <>
    {expiry._tag === "After" ? (
      <Group align="flex-start" wrap="nowrap">
        <TextInput
          label="How many"
          inputMode="numeric"
          value={expiry.count}
          onChange={(event) => onChange({ ...expiry, count: event.currentTarget.value })}
          error={fault}
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
        label="Last day"
        description="In your time zone."
        value={expiry.date}
        onChange={(event) => onChange({ ...expiry, date: event.currentTarget.value })}
        error={fault}
        maw={220}
      />
    ) : undefined}
  </>
)
