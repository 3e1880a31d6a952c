/**
 * Controls of a cost report: period, grouping, steps, idle costs and comparison.
 */
import { Group, NativeSelect, Switch, TextInput } from "@mantine/core"
import { useState } from "react"
import { TimeFields } from "../form/TimeFields.tsx"
import * as CostPeriod from "./CostPeriod.ts"
import { type CostView, FIELDS, type Grouping, IDLES, LABEL, RANGES, STEPS } from "./CostView.ts"
import type { CostViewState } from "./useCostView.ts"

type Props = Pick<CostViewState, "change" | "mayIdle" | "view" | "window">

const LABEL_KEY = /^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

export const RangeControls = ({ change, view }: Pick<Props, "change" | "view">) => (
  <TimeFields
    ranges={RANGES}
    time={view}
    onRange={(range) => change({ range })}
    onDays={change}
    widths={{ range: 160, day: 160 }}
  />
)

/** Controls of the cost of one workload, which has no groups. */
export const WorkloadCostControls = ({ change, view }: Pick<Props, "change" | "view">) => (
  <Group align="flex-start" gap="sm" className="qd-cost-controls">
    <RangeControls view={view} change={change} />
    <CompareSwitch view={view} change={change} />
  </Group>
)

const CompareSwitch = ({ change, view }: Pick<Props, "change" | "view">) => (
  <Switch
    label="Compare with the period before"
    checked={view.compare}
    onChange={({ currentTarget: { checked } }) => change(comparing(checked, view))}
    mt={{ base: 0, xs: 30 }}
  />
)

export const CostControls = ({ change, mayIdle, view, window }: Props) => (
  <Group align="flex-start" gap="sm" className="qd-cost-controls">
    <RangeControls view={view} change={change} />
    <GroupingField
      label="Group by"
      value={view.by}
      onChange={(by) => {
        if (by !== undefined) change({ by, thenBy: view.thenBy === by ? undefined : view.thenBy })
      }}
    />
    <GroupingField
      label="Then by"
      none="Nothing else"
      value={view.thenBy}
      onChange={(thenBy) => change({ thenBy: thenBy === view.by ? undefined : thenBy })}
    />
    <NativeSelect
      label="Step"
      value={view.step}
      onChange={({ currentTarget: { value } }) =>
        change({ step: STEPS.find(([name]) => name === value)?.[0] ?? "auto" })
      }
      data={STEPS.filter(([step]) => step !== "hour" || CostPeriod.allowsHours(window)).map(([value, label]) => ({
        value,
        label
      }))}
      w={{ base: "47%", xs: 120 }}
    />
    {mayIdle ? (
      <NativeSelect
        label="Idle costs"
        value={view.idle}
        onChange={({ currentTarget: { value } }) =>
          change({ idle: IDLES.find(([name]) => name === value)?.[0] ?? "show" })
        }
        data={IDLES.map(([value, label]) => ({ value, label }))}
        w={{ base: "47%", xs: 180 }}
      />
    ) : undefined}
    <CompareSwitch view={view} change={change} />
  </Group>
)

/** Turns the comparison on or off. An order by a column that disappears becomes the order by cost. */
const comparing = (compare: boolean, { sort }: CostView): Partial<CostView> =>
  compare || (sort !== "before" && sort !== "change") ? { compare } : { compare, sort: "cost", order: "desc" }

const USUAL_LABEL = "team"

interface GroupingProps {
  readonly label: string
  /** Text of the option that selects no grouping. If absent, there is no such option. */
  readonly none?: string
  readonly value: Grouping | undefined
  readonly onChange: (grouping: Grouping | undefined) => void
}

const GroupingField = ({ label, none, onChange, value }: GroupingProps) => {
  const labelKey = value?.startsWith(LABEL) === true ? value.slice(LABEL.length) : undefined
  return (
    <>
      <NativeSelect
        label={label}
        value={labelKey === undefined ? (value ?? "") : LABEL}
        onChange={({ currentTarget: { value: chosen } }) => {
          const field = FIELDS.find(([name]) => name === chosen)?.[0]
          onChange(chosen === LABEL ? `label:${USUAL_LABEL}` : field)
        }}
        data={[
          ...(none === undefined ? [] : [{ value: "", label: none }]),
          ...FIELDS.map(([field, name]) => ({ value: field, label: name })),
          { value: LABEL, label: "Label" }
        ]}
        w={{ base: "47%", xs: 140 }}
      />
      {labelKey === undefined ? undefined : (
        <LabelField
          key={labelKey}
          name={none === undefined ? "Label key" : "Second label key"}
          labelKey={labelKey}
          onChange={(key) => onChange(`label:${key}`)}
        />
      )}
    </>
  )
}

interface LabelProps {
  readonly name: string
  readonly labelKey: string
  readonly onChange: (key: string) => void
}

/** Field for a label's key. Enter, or leaving the field, applies it. */
export const LabelField = ({ labelKey, name, onChange }: LabelProps) => {
  const [text, setText] = useState(labelKey)
  const isKey = LABEL_KEY.test(text.trim())
  const submit = () => {
    if (isKey && text.trim() !== labelKey) onChange(text.trim())
  }
  return (
    <TextInput
      label={name}
      value={text}
      error={isKey ? undefined : "Enter a key such as team or example.com/team"}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={submit}
      onKeyDown={(event) => {
        if (event.key === "Enter") submit()
      }}
      spellCheck={false}
      w={{ base: "47%", xs: 160 }}
    />
  )
}
