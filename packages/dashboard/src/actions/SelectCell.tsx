/**
 * Checkbox cells that select rows of a list.
 */
import { type KeyboardEvent, memo } from "react"
import type { Workload } from "../api/WorkloadQueries.ts"

interface RowProps {
  readonly workload: Pick<Workload, "id" | "name" | "namespace" | "cluster" | "kind">
  readonly isSelected: boolean
  readonly onToggle: (id: string, isRange: boolean) => void
  /** Why the row cannot be selected; absent if it can. */
  readonly refusal: string | undefined
}

/** Arrow keys focus the next or previous checkbox. Enter focuses the actions of the selection. */
const press = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key === "Enter") {
    event.preventDefault()
    document.querySelector<HTMLElement>("[data-selection] button")?.focus()
    return
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const here = Number(event.currentTarget.closest("[aria-rowindex]")?.getAttribute("aria-rowindex"))
  const list = event.currentTarget.closest("[role=table]")
  list?.querySelector<HTMLElement>(`[aria-rowindex="${here + step}"] input[type=checkbox]`)?.focus()
}

export const SelectCell = memo(
  ({ isSelected, onToggle, refusal, workload: { cluster, id, kind, name, namespace } }: RowProps) => (
    <div role="cell" className="qd-select">
      <label className="qd-select-target">
        <input
          type="checkbox"
          aria-label={`Select ${kind} ${name} in ${namespace} of ${cluster}${refusal === undefined ? "" : `: ${refusal}`}`}
          title={refusal}
          disabled={refusal !== undefined}
          checked={isSelected && refusal === undefined}
          onChange={({ nativeEvent }) => onToggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
          onKeyDown={press}
          // Shift+click selects a range of rows. The browser would also select text.
          onMouseDown={(event) => {
            if (event.shiftKey) event.preventDefault()
          }}
        />
      </label>
    </div>
  )
)

interface AllProps {
  readonly isAll: boolean
  readonly isSome: boolean
  readonly onChange: (isChosen: boolean) => void
}

export const SelectAllCell = ({ isAll, isSome, onChange }: AllProps) => (
  <div role="columnheader" className="qd-select">
    <label className="qd-select-target">
      <input
        type="checkbox"
        aria-label="Select all shown"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = isSome && !isAll
        }}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </label>
  </div>
)
