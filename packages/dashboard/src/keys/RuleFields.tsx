/**
 * Fields for the clusters and namespaces of a rule.
 */
import { Button, Fieldset, Group, MultiSelect, Radio, Stack, TagsInput, Text } from "@mantine/core"
import type { NamespaceView } from "../api/Queries.ts"
import type { Rule } from "../api/Shapes.ts"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { emptySelector, type KeyDraft, labelsOf, nextSelector, type SelectorDraft } from "./KeyDraft.ts"

interface Props {
  readonly draft: KeyDraft
  readonly errors: FieldErrors
  /** Rule that this one must lie inside: the caller's for a new key, or the key's current rule. */
  readonly outer: Rule
  /** Source of suggested names. */
  readonly view: NamespaceView | undefined
  readonly onChange: (change: Partial<KeyDraft>) => void
}

export const RuleFields = (props: Props) => (
  <>
    <ClusterFields {...props} />
    <NamespaceFields {...props} />
  </>
)

const ClusterFields = ({ draft, errors, onChange, outer, view }: Props) => {
  const registered = view?.clusters.map(({ name }) => name) ?? []
  const { targetClusters: allowed } = outer
  return (
    <Fieldset legend="Clusters">
      <Stack gap="sm">
        {allowed === undefined ? (
          <Radio.Group
            aria-label="Clusters"
            value={draft.clusters === undefined ? "all" : "some"}
            onChange={(value) => onChange({ clusters: value === "all" ? undefined : [] })}
          >
            <Stack gap="xs">
              <Radio value="all" label="Every cluster, including those registered later" />
              <Radio value="some" label="Only these" />
            </Stack>
          </Radio.Group>
        ) : (
          <ChoiceField
            label="Cluster names"
            description="You can only choose from the current scope."
            allowed={allowed}
            chosen={draft.clusters ?? []}
            error={errors["clusters"]}
            onChange={(clusters) => onChange({ clusters })}
          />
        )}
        {allowed !== undefined || draft.clusters === undefined ? undefined : (
          <TagsInput
            label="Cluster names"
            description="Press Enter to add a name. The cluster need not be registered yet."
            data={registered}
            value={[...draft.clusters]}
            onChange={(clusters) => onChange({ clusters })}
            error={errors["clusters"]}
            splitChars={[",", "|", " "]}
            clearButtonProps={{ "aria-label": "Remove every cluster" }}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly description: string
  readonly allowed: ReadonlyArray<string>
  readonly chosen: ReadonlyArray<string>
  readonly error: string | undefined
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}

/** Field for names from a fixed list. */
const ChoiceField = ({ allowed, chosen, description, error, label, onChange }: ChoiceProps) => (
  <MultiSelect
    label={label}
    description={description}
    data={[...new Set(allowed)]}
    value={[...chosen]}
    onChange={onChange}
    // Enter without a choice would submit the form.
    onKeyDown={(event) => {
      if (event.key === "Enter") event.preventDefault()
    }}
    error={error}
    searchable
    clearable
    clearButtonProps={{ "aria-label": `Remove all ${label.toLowerCase()}` }}
  />
)

const NamespaceFields = ({ draft, errors, onChange, outer, view }: Props) => {
  const { selectors } = draft
  const change = (id: number, part: Partial<SelectorDraft>) =>
    onChange({
      selectors: (selectors ?? []).map((selector) => (selector.id === id ? { ...selector, ...part } : selector))
    })
  return (
    <Fieldset legend="Namespaces">
      <Stack gap="sm">
        {outer.targetNamespaces === undefined ? (
          <Radio.Group
            aria-label="Namespaces"
            value={selectors === undefined ? "all" : "some"}
            onChange={(value) => onChange({ selectors: value === "all" ? undefined : [emptySelector(1)] })}
          >
            <Stack gap="xs">
              <Radio value="all" label="Every namespace" />
              <Radio value="some" label="Only namespaces with these names or labels" />
            </Stack>
          </Radio.Group>
        ) : undefined}
        {selectors?.map((selector, index) => (
          <SelectorFields
            key={selector.id}
            selector={selector}
            position={index}
            isOnly={selectors.length === 1}
            errors={errors}
            view={view}
            onChange={(part) => change(selector.id, part)}
            onRemove={() => onChange({ selectors: selectors.filter(({ id }) => id !== selector.id) })}
          />
        ))}
        {errors["selectors"] === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {errors["selectors"]}
          </Text>
        )}
        {selectors === undefined ? undefined : (
          <Group>
            <Button
              size="xs"
              variant="default"
              onClick={() => onChange({ selectors: [...selectors, nextSelector(selectors)] })}
            >
              Add a selection
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
  readonly errors: FieldErrors
  readonly view: NamespaceView | undefined
  readonly onChange: (part: Partial<SelectorDraft>) => void
  readonly onRemove: () => void
}

const SelectorFields = ({ errors, isOnly, onChange, onRemove, position, selector, view }: SelectorProps) => {
  const labels = [
    ...new Set(
      view?.namespaces.flatMap(({ labels }) => Object.entries(labels).map(([key, value]) => `${key}=${value}`))
    )
  ].toSorted()
  const ordinal = isOnly ? "" : ` of selection ${position + 1}`
  const always = selector.within === undefined ? [] : labelsOf(selector.within)
  const more = selector.labels.filter((label) => !always.includes(label))
  return (
    <Stack gap="sm" role="group" aria-label={`Selection ${position + 1}`}>
      <NameField
        label={`Namespace names${ordinal}`}
        selector={selector}
        error={errors[`selectors.${position}.names`]}
        view={view}
        onChange={(names) => onChange({ names })}
      />
      <TagsInput
        label={`Namespace labels${ordinal}`}
        description={
          always.length === 0
            ? "A namespace must have all of these labels, each written key=value."
            : `A namespace must have all of these labels, each written key=value, and always ${always.join(", ")}.`
        }
        placeholder={selector.labels.length === 0 ? "team=storefront" : ""}
        data={labels}
        limit={50}
        value={more}
        onChange={(value) => onChange({ labels: [...always, ...value] })}
        error={errors[`selectors.${position}.labels`]}
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

interface NameProps extends Pick<SelectorProps, "selector" | "view"> {
  readonly label: string
  readonly error: string | undefined
  readonly onChange: (names: ReadonlyArray<string>) => void
}

const NameField = ({ error, label, onChange, selector: { names, within }, view }: NameProps) =>
  within !== undefined && within.namespaceNames.length > 0 ? (
    <ChoiceField
      label={label}
      description="You can only choose from the current scope."
      allowed={within.namespaceNames}
      chosen={names}
      error={error}
      onChange={onChange}
    />
  ) : (
    <TagsInput
      label={label}
      description="Any of these namespaces. Leave it empty to select by labels only."
      data={[...new Set(view?.namespaces.map(({ name }) => name))].toSorted()}
      limit={50}
      value={[...names]}
      onChange={onChange}
      error={error}
      splitChars={[",", " "]}
      clearButtonProps={{ "aria-label": "Remove every name" }}
    />
  )
