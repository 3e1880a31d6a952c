/**
 * The page Settings > Prices.
 */
import { Alert, Button, Group, SimpleGrid, Stack, Table, Text, TextInput, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { type Prices, pricesQuery } from "../api/PriceQueries.ts"
import { isUnscopedAdmin, useCaller } from "../frame/Caller.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { OverrideFields } from "./OverrideFields.tsx"
import type { Change, PriceDraft } from "./PriceDraft.ts"
import { PriceEffect } from "./PriceEffect.tsx"
import { PRICES, PROVIDERS } from "./PriceFields.ts"
import { usePriceEdit } from "./usePriceEdit.ts"

export const PricesPage = () => {
  const heading = useTitle("Prices")
  const prices = useQuery(pricesQuery)
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          Prices
        </Title>
        <Text c="dimmed">Prices of the cost model. Past hours keep the prices that they had.</Text>
      </div>
      {prices.error instanceof ApiFailure ? (
        <FailureAlert failure={prices.error} onRetry={() => void prices.refetch()} />
      ) : undefined}
      {prices.isLoading ? <Loading what="prices" /> : undefined}
      {prices.data === undefined ? undefined : <Editor latest={prices.data} />}
    </Stack>
  )
}

const Editor = ({ latest }: { readonly latest: Prices }) => {
  const { rule } = useCaller()
  const isReadOnly = !isUnscopedAdmin(rule)
  const edit = usePriceEdit(latest)
  const { changes, draft, failure, errors, isStale, savedVersion } = edit
  const isConflict = isStale && changes.length > 0
  return (
    <Stack gap="md">
      {isReadOnly ? (
        <Alert color="blue" title="You can read the prices">
          Only an Admin of every cluster and namespace can change them.
        </Alert>
      ) : undefined}
      {isConflict ? (
        <Conflict version={latest.version} onDiscard={edit.restart} onApply={edit.applyChanges} />
      ) : undefined}
      {isStale && changes.length === 0 ? (
        <Group>
          <Text size="sm" role="status">
            The prices have changed since you opened this page.
          </Text>
          <Button size="compact-sm" variant="default" onClick={edit.restart}>
            Show the new prices
          </Button>
        </Group>
      ) : undefined}
      <BookFields draft={draft} errors={errors} isReadOnly={isReadOnly} onChange={edit.change} />
      {failure === undefined || failure.code === "prices_stale" ? undefined : <FailureAlert failure={failure} />}
      {Object.keys(errors).length === 0 ? undefined : (
        <Text size="sm" c="red" role="alert">
          Some fields have errors.
        </Text>
      )}
      {savedVersion === undefined ? undefined : (
        <Text role="status">Saved as version {Quantity.count(savedVersion)}.</Text>
      )}
      {isReadOnly ? undefined : (
        <>
          <Changes changes={changes} />
          {isConflict || edit.body === undefined ? undefined : (
            <PriceEffect book={edit.body} currencyBefore={latest.currency} currencyAfter={draft.currency} />
          )}
          <Group>
            <Button disabled={changes.length === 0 || isConflict} loading={edit.isSaving} onClick={edit.save}>
              Save prices
            </Button>
            <Button variant="default" disabled={changes.length === 0} onClick={edit.restart}>
              Discard changes
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

interface ConflictProps {
  readonly version: number
  readonly onDiscard: () => void
  readonly onApply: () => void
}

const Conflict = ({ onApply, onDiscard, version }: ConflictProps) => (
  <Alert role="alert" color="yellow" title="The prices were changed by someone else">
    <Stack gap="xs">
      <Text size="sm">
        Version {Quantity.count(version)} is now saved. Your changes are not. You can apply your changes to the new
        version and review them, or discard them.
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={onApply}>
          Apply my changes
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard my changes
        </Button>
      </Group>
    </Stack>
  </Alert>
)

interface FieldsProps {
  readonly draft: PriceDraft
  readonly errors: FieldErrors
  readonly isReadOnly: boolean
  readonly onChange: (part: Partial<PriceDraft>) => void
}

const BookFields = ({ draft, errors, isReadOnly, onChange }: FieldsProps) => {
  const nextId = Math.max(-1, ...draft.overrides.map(({ id }) => id)) + 1
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" maw={520}>
        <TextInput
          label="Currency"
          description="Currency code, such as EUR."
          value={draft.currency}
          error={errors["currency"]}
          readOnly={isReadOnly}
          onChange={(event) => onChange({ currency: event.currentTarget.value.toUpperCase() })}
        />
        <TextInput
          label="Rate"
          description="Factor that each price is multiplied by."
          value={draft.rate}
          error={errors["rate"]}
          readOnly={isReadOnly}
          inputMode="decimal"
          onChange={(event) => onChange({ rate: event.currentTarget.value })}
        />
      </SimpleGrid>
      <DefaultPrices draft={draft} errors={errors} isReadOnly={isReadOnly} onChange={onChange} />
      <Title order={2} size="h4">
        Overrides
      </Title>
      <Text size="sm" c="dimmed">
        Overrides replace the default prices. If several match, the one with more conditions applies.
      </Text>
      {draft.overrides.map((override, index) => (
        <OverrideFields
          key={override.id}
          override={override}
          index={index}
          errors={errors}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange({ overrides: draft.overrides.map((one) => (one === override ? next : one)) })}
          onRemove={() => onChange({ overrides: draft.overrides.filter((one) => one !== override) })}
        />
      ))}
      {draft.overrides.length === 0 ? <Text size="sm">No overrides.</Text> : undefined}
      {isReadOnly ? undefined : (
        <Group>
          <Button
            variant="default"
            onClick={() =>
              onChange({ overrides: [...draft.overrides, { id: nextId, resource: "node", match: {}, terms: {} }] })
            }
          >
            Add an override
          </Button>
        </Group>
      )}
    </>
  )
}

const DefaultPrices = ({ draft, errors, isReadOnly, onChange }: FieldsProps) => (
  <>
    <Title order={2} size="h4">
      Default prices
    </Title>
    <ScrollTable minWidth={760} label="Default prices by provider">
      <Table verticalSpacing={4} aria-label="Default prices">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Unit</Table.Th>
            {PROVIDERS.map(([provider, name]) => (
              <Table.Th key={provider} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {PRICES.map(([field, label]) => (
            <Table.Tr key={field}>
              <Table.Th scope="row" fw={500}>
                {label}
              </Table.Th>
              {PROVIDERS.map(([provider, name]) => (
                <Table.Td key={provider}>
                  <TextInput
                    size="xs"
                    aria-label={`${name}: ${label}`}
                    value={draft.prices[provider][field]}
                    error={errors[`${provider}.${field}`]}
                    readOnly={isReadOnly}
                    inputMode="decimal"
                    onChange={({ currentTarget: { value } }) =>
                      onChange({
                        prices: { ...draft.prices, [provider]: { ...draft.prices[provider], [field]: value } }
                      })
                    }
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollTable>
  </>
)

const Changes = ({ changes }: { readonly changes: ReadonlyArray<Change> }) => (
  <Stack gap="xs" component="section" aria-label="Changes">
    <Title order={2} size="h4">
      Changes
    </Title>
    {changes.length === 0 ? <Text size="sm">No changes.</Text> : undefined}
    {changes.map(({ after, before, what }) => (
      <Text key={`${what} ${before ?? ""} ${after ?? ""}`} size="sm" className="qd-text">
        <b>{what}</b>: {before === undefined ? "new" : <del>{before}</del>}{" "}
        {after === undefined ? "removed" : <ins>{after}</ins>}
      </Text>
    ))}
  </Stack>
)
