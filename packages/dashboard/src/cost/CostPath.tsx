/**
 * Breadcrumbs from all costs to the shown costs, and chips with the filters.
 */
import { Anchor, Breadcrumbs, Button, Group, NativeSelect, Pill, Popover, Stack, Text, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useState } from "react"
import { Link } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import type { CostView } from "./CostView.ts"
import * as Drill from "./Drill.ts"
import type { CostViewState } from "./useCostView.ts"

interface Props extends Pick<CostViewState, "change" | "linkTo" | "view"> {
  readonly target: ClusterTarget.ClusterTarget
  readonly setTarget: (target: ClusterTarget.ClusterTarget) => void
}

export const CostBreadcrumbs = ({ linkTo, target, view }: Pick<Props, "linkTo" | "target" | "view">) => {
  const crumbs = Drill.crumbsOf(view, target)
  if (crumbs.length < 2) return undefined
  return (
    <nav aria-label="Costs shown">
      <Breadcrumbs separatorMargin={6} className="qd-cost-crumbs">
        {crumbs.map(({ keepsCluster, text, view: part }, index) =>
          index === crumbs.length - 1 ? (
            <Text key={index} size="sm" fw={600} aria-current="page" className="qd-text">
              {text}
            </Text>
          ) : (
            <Anchor
              key={index}
              component={Link}
              to={linkTo(part, keepsCluster ? undefined : ClusterTarget.ALL)}
              size="sm"
              underline="always"
              className="qd-text"
            >
              {text}
            </Anchor>
          )
        )}
      </Breadcrumbs>
    </nav>
  )
}

export const CostFilters = ({ change, setTarget, target, view }: Omit<Props, "linkTo">) => (
  <Group gap="xs" role="group" aria-label="Filters">
    {Drill.filtersOf(view, target).map(({ isCluster, name, value, without }) => (
      <Pill
        key={`${name} ${value}`}
        size="md"
        className="qd-cost-chip"
        withRemoveButton
        removeButtonProps={{ "aria-label": `Remove ${name}: ${value}`, tabIndex: 0, "aria-hidden": false }}
        onRemove={() => (isCluster === true ? setTarget(ClusterTarget.ALL) : change(without))}
      >
        {name}: {value}
      </Pill>
    ))}
    <AddFilter view={view} change={change} />
  </Group>
)

const KINDS = [
  ["namespaces", "Namespace", "payments"],
  ["kinds", "Kind", "Deployment"],
  ["labels", "Label", "team=storefront"]
] as const
type Field = (typeof KINDS)[number][0]

const AddFilter = ({ change, view }: Pick<Props, "change" | "view">) => {
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const [field, setField] = useState<Field>("namespaces")
  const [text, setText] = useState("")
  const value = text.trim()
  const example = KINDS.find(([name]) => name === field)?.[2]
  const add = () => {
    if (value === "") return
    const part: Partial<CostView> = { [field]: [...new Set([...view[field], value])] }
    change(part)
    setText("")
    close()
  }
  return (
    <Popover
      opened={isOpen}
      onChange={(open) => (open ? undefined : close())}
      trapFocus
      returnFocus
      position="bottom-start"
    >
      <Popover.Target>
        <Button variant="subtle" size="compact-sm" onClick={toggle} className="qd-cost-controls">
          Add a filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <Stack gap="xs">
            <NativeSelect
              label="Filter by"
              value={field}
              onChange={({ currentTarget }) =>
                setField(KINDS.find(([name]) => name === currentTarget.value)?.[0] ?? "namespaces")
              }
              data={KINDS.map(([name, label]) => ({ value: name, label }))}
            />
            <TextInput
              label="Value"
              placeholder={example}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              spellCheck={false}
            />
            <Button type="submit" size="xs" disabled={value === ""}>
              Add
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
