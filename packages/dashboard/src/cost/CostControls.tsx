/**
 * Controls of a cost report: period, grouping and idle costs.
 */
import { Group, NativeSelect, TextInput } from "@mantine/core"
import { useState } from "react"
import { TimeFields } from "../form/TimeFields.tsx"
import { type CostView, FIELDS, IDLES, LABEL, RANGES } from "./CostView.ts"

interface Props {
  readonly view: CostView
  readonly mayIdle: boolean
  readonly onChange: (part: Partial<CostView>) => void
}

const LABEL_KEY = /^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

export const RangeControls = ({ onChange, view }: Omit<Props, "mayIdle">) => (
  <TimeFields
    ranges={RANGES}
    time={view}
    onRange={(range) => onChange({ range })}
    onDays={onChange}
    widths={{ range: 170, day: 160 }}
  />
)

export const CostControls = ({ mayIdle, onChange, view }: Props) => {
  const labelKey = view.by.startsWith(LABEL) ? view.by.slice(LABEL.length) : undefined
  return (
    <Group align="flex-start" gap="sm">
      <RangeControls view={view} onChange={onChange} />
      <NativeSelect
        label="Group by"
        value={labelKey === undefined ? view.by : LABEL}
        onChange={({ currentTarget: { value } }) => {
          const field = FIELDS.find(([name]) => name === value)?.[0]
          onChange({ by: field ?? `label:${USUAL_LABEL}` })
        }}
        data={[...FIELDS.map(([value, label]) => ({ value, label })), { value: LABEL, label: "Label" }]}
        w={{ base: "47%", xs: 150 }}
      />
      {labelKey === undefined ? undefined : (
        <LabelField key={labelKey} labelKey={labelKey} onChange={(key) => onChange({ by: `label:${key}` })} />
      )}
      {mayIdle ? (
        <NativeSelect
          label="Idle costs"
          value={view.idle}
          onChange={({ currentTarget: { value } }) =>
            onChange({ idle: IDLES.find(([name]) => name === value)?.[0] ?? "show" })
          }
          data={IDLES.map(([value, label]) => ({ value, label }))}
          w={{ base: "47%", xs: 210 }}
        />
      ) : undefined}
    </Group>
  )
}

const USUAL_LABEL = "team"

interface LabelProps {
  readonly labelKey: string
  readonly onChange: (key: string) => void
}

/** Field for a label's key. Enter, or leaving the field, applies it. */
const LabelField = ({ labelKey, onChange }: LabelProps) => {
  const [text, setText] = useState(labelKey)
  const isKey = LABEL_KEY.test(text.trim())
  const submit = () => {
    if (isKey && text.trim() !== labelKey) onChange(text.trim())
  }
  return (
    <TextInput
      label="Label key"
      value={text}
      error={isKey ? undefined : "Enter a key such as team or example.com/team"}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter") submit()
      }}
      spellCheck={false}
      w={{ base: "100%", xs: 200 }}
    />
  )
}
