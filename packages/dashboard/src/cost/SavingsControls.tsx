/**
 * Controls of the savings page: period, filter and grouping.
 */
import { Group, NativeSelect, TextInput } from "@mantine/core"
import { LabelField, RangeControls } from "./CostControls.tsx"
import type { CostView } from "./CostView.ts"
import * as Savings from "./Savings.ts"
import type { SavingsView } from "./SavingsView.ts"
import type { CostViewState } from "./useCostView.ts"

interface Props extends Pick<CostViewState, "change"> {
  readonly period: CostView
  readonly view: SavingsView
  /** Changes the settings. **Shape** with `isTyped`, the change adds no entry to the browser's history. */
  readonly set: (part: Partial<SavingsView>, isTyped?: boolean) => void
}

export const SavingsControls = ({ change, period, set, view }: Props) => (
  <Group gap="sm" align="flex-start" className="qd-cost-controls">
    <RangeControls view={period} change={change} />
    <TextInput
      label="Workload"
      type="search"
      placeholder="Part of a name"
      value={view.text}
      onChange={({ currentTarget: { value } }) => set({ text: value }, true)}
      w={{ base: "47%", xs: 180 }}
    />
    <NativeSelect
      label="Group by"
      value={view.by}
      onChange={({ currentTarget: { value } }) =>
        set({ by: Savings.GROUPINGS.find(([name]) => name === value)?.[0] ?? "" })
      }
      data={Savings.GROUPINGS.map(([value, label]) => ({ value, label }))}
      w={{ base: "47%", xs: 150 }}
    />
    <LabelField
      key={view.labelKey}
      name="Team label"
      labelKey={view.labelKey}
      onChange={(labelKey) => set({ labelKey })}
    />
  </Group>
)
