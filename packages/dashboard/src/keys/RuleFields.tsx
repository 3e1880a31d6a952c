/**
 * The part of the form that says what a key reaches.
 */
import { Button, Fieldset, Group, Radio, Stack, TagsInput, Text } from "@mantine/core"
import type { NamespaceView } from "../api/Queries.ts"
import type { Rule } from "../api/Shapes.ts"
import { emptySelector, type Faults, type KeyDraft, type SelectorDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly faults: Faults
  /** The rule of who makes the key, which the new one must lie inside. */
  readonly outer: Rule
  /** What names are suggested from. */
  readonly view: NamespaceView | undefined
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const RuleFields = (props: Props) => (
  <>
    <ClusterFields {...props} />
    <NamespaceFields {...props} />
  </>
)

const ClusterFields = ({ draft, faults, onChange, outer, view }: Props) => {
  const registered = view?.clusters.map(({ name }) => name) ?? []
  const isBound = outer.targetClusters !== undefined
  return (
    <Fieldset legend="Clusters">
      <Stack gap="sm">
        <Radio.Group
          aria-label="Which clusters"
          value={draft.clusters === undefined ? "all" : "some"}
          onChange={(value) => onChange({ clusters: value === "all" ? undefined : [] })}
        >
          <Stack gap="xs">
            {isBound ? undefined : <Radio value="all" label="Every cluster, and those that are registered later" />}
            <Radio value="some" label="Only these" />
          </Stack>
        </Radio.Group>
        {draft.clusters === undefined ? undefined : (
          <TagsInput
            label="Names of clusters"
            description="Enter adds a name. It need not be registered yet."
            data={[...new Set([...registered, ...(outer.targetClusters ?? [])])]}
            value={[...draft.clusters]}
            onChange={(clusters) => onChange({ clusters })}
            error={faults["clusters"]}
            splitChars={[",", "|", " "]}
            clearButtonProps={{ "aria-label": "Remove every cluster" }}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

const NamespaceFields = ({ draft, faults, onChange, outer, view }: Props) => {
  const { selectors } = draft
  const change = (id: number, part: Partial<SelectorDraft>) =>
    onChange({ selectors: (selectors ?? []).map((one) => (one.id === id ? { ...one, ...part } : one)) })
  const nextId = Math.max(0, ...(selectors ?? []).map(({ id }) => id)) + 1
  return (
    <Fieldset legend="Namespaces">
      <Stack gap="sm">
        <Radio.Group
          aria-label="Which namespaces"
          value={selectors === undefined ? "all" : "some"}
          onChange={(value) => onChange({ selectors: value === "all" ? undefined : [emptySelector(1)] })}
        >
          <Stack gap="xs">
            {outer.targetNamespaces === undefined ? <Radio value="all" label="Every namespace" /> : undefined}
            <Radio value="some" label="Only those with these names or labels" />
          </Stack>
        </Radio.Group>
        {selectors?.map((selector, index) => (
          <SelectorFields
            key={selector.id}
            selector={selector}
            position={index}
            isOnly={selectors.length === 1}
            faults={faults}
            view={view}
            onChange={(part) => change(selector.id, part)}
            onRemove={() => onChange({ selectors: selectors.filter(({ id }) => id !== selector.id) })}
          />
        ))}
        {faults["selectors"] === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {faults["selectors"]}
          </Text>
        )}
        {selectors === undefined ? undefined : (
          <Group>
            <Button
              size="xs"
              variant="default"
              onClick={() => onChange({ selectors: [...selectors, emptySelector(nextId)] })}
            >
              Add another selection
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}

interface SelectorProps {
  readonly selector: SelectorDraft
  readonly position: number
  readonly isOnly: boolean
  readonly faults: Faults
  readonly view: NamespaceView | undefined
  readonly onChange: (part: Partial<SelectorDraft>) => void
  readonly onRemove: () => void
}

const SelectorFields = ({ faults, isOnly, onChange, onRemove, position, selector, view }: SelectorProps) => {
  const names = [...new Set(view?.namespaces.map(({ name }) => name))].toSorted()
  const labels = [
    ...new Set(
      view?.namespaces.flatMap(({ labels }) => Object.entries(labels).map(([key, value]) => `${key}=${value}`))
    )
  ].toSorted()
  const ordinal = isOnly ? "" : ` of selection ${position + 1}`
  return (
    <Stack gap="sm" role="group" aria-label={`Selection ${position + 1}`}>
      <TagsInput
        label={`Names of namespaces${ordinal}`}
        description="Any of these. Leave it empty to select by labels alone."
        data={names}
        limit={50}
        value={[...selector.names]}
        onChange={(value) => onChange({ names: value })}
        error={faults[`selectors.${position}.names`]}
        splitChars={[",", " "]}
        clearButtonProps={{ "aria-label": "Remove every name" }}
      />
      <TagsInput
        label={`Labels of namespaces${ordinal}`}
        description="All of these, each written key=value."
        placeholder={selector.labels.length === 0 ? "team=storefront" : ""}
        data={labels}
        limit={50}
        value={[...selector.labels]}
        onChange={(value) => onChange({ labels: value })}
        error={faults[`selectors.${position}.labels`]}
        splitChars={[",", " "]}
        clearButtonProps={{ "aria-label": "Remove every label" }}
      />
      {isOnly ? undefined : (
        <Group>
          <Button size="xs" variant="default" onClick={onRemove}>
            Remove selection {position + 1}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
