/**
 * Fields of one price override.
 */
import { Button, Group, NativeSelect, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import type { FieldErrors } from "../form/FieldErrors.ts"
import type { OverrideDraft } from "./PriceDraft.ts"
import { CHOICES, FIELD_NAMES, isResource, RESOURCES } from "./PriceFields.ts"

interface Props {
  readonly override: OverrideDraft
  readonly index: number
  readonly errors: FieldErrors
  readonly isReadOnly: boolean
  readonly onChange: (override: OverrideDraft) => void
  readonly onRemove: () => void
}

export const OverrideFields = ({ errors, index, isReadOnly, onChange, onRemove, override }: Props) => {
  const { match, resource, terms } = override
  const { match: matched, prices } = RESOURCES[resource]
  const place = `overrides.${index}`
  return (
    <Paper withBorder p="md" component="fieldset" aria-label={`Override ${index + 1}`} data-override={index}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-end">
          <NativeSelect
            label="Price of"
            value={resource}
            disabled={isReadOnly}
            onChange={({ currentTarget: { value } }) => {
              if (isResource(value)) onChange({ ...override, resource: value, terms: {} })
            }}
            data={Object.entries(RESOURCES).map(([value, { name }]) => ({ value, label: name }))}
            w={200}
          />
          {isReadOnly ? undefined : (
            <Button variant="deerror" onClick={onRemove} aria-label={`Remove override ${index + 1}`}>
              Remove
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          Conditions. An empty field matches everything.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          {matched.map((name) => (
            <Field
              key={name}
              name={name}
              text={match[name] ?? ""}
              error={undefined}
              isReadOnly={isReadOnly}
              onChange={(text) => onChange({ ...override, match: { ...match, [name]: text } })}
            />
          ))}
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          Prices, a discount on the prices that would otherwise apply, and the start of validity.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          {[...prices, "discountPercent", "validFrom"].map((name) => (
            <Field
              key={name}
              name={name}
              text={terms[name] ?? ""}
              error={errors[`${place}.${name}`]}
              isReadOnly={isReadOnly}
              onChange={(text) => onChange({ ...override, terms: { ...terms, [name]: text } })}
            />
          ))}
        </SimpleGrid>
        {errors[place] === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {errors[place]}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

interface FieldProps {
  readonly name: string
  readonly text: string
  readonly error: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

const Field = ({ error, isReadOnly, name, onChange, text }: FieldProps) => {
  const choices = CHOICES[name]
  const label = FIELD_NAMES[name] ?? name
  if (choices !== undefined) {
    return (
      <NativeSelect
        label={label}
        value={text}
        disabled={isReadOnly}
        onChange={({ currentTarget: { value } }) => onChange(value)}
        data={[{ value: "", label: "Any" }, ...choices]}
      />
    )
  }
  return (
    <TextInput
      label={label}
      value={text}
      error={error}
      readOnly={isReadOnly}
      onChange={(event) => onChange(event.currentTarget.value)}
      spellCheck={false}
      autoComplete="off"
    />
  )
}
