/**
 * The form that edits the price book: its fields, its changes and the request body made of them.
 */
import { Result } from "effect"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { type PriceField, PRICES, type Provider, PROVIDERS, type Resource, RESOURCES } from "./PriceFields.ts"

type Rates = Readonly<Record<PriceField, number>>

/** The members of a price book that the form reads. */
export interface Book {
  readonly version: number
  readonly currency: string
  readonly rate: number
  readonly default: Readonly<Record<Provider, Rates>>
  readonly overrides: ReadonlyArray<
    { readonly resource: Resource; readonly match: object } & { readonly discountPercent?: number }
  >
}

/** Fields of an override. Empty strings are not sent. */
export interface OverrideDraft {
  readonly id: number
  readonly resource: Resource
  readonly match: Readonly<Record<string, string>>
  readonly terms: Readonly<Record<string, string>>
}

export interface PriceDraft {
  readonly currency: string
  readonly rate: string
  readonly prices: Readonly<Record<Provider, Readonly<Record<PriceField, string>>>>
  readonly overrides: ReadonlyArray<OverrideDraft>
}

const MAX_PRICE = 1_000_000

const ofProviders = <A>(make: (provider: Provider) => A): Readonly<Record<Provider, A>> => ({
  aws: make("aws"),
  gcp: make("gcp"),
  azure: make("azure"),
  other: make("other")
})

const ofPrices = <A>(make: (field: PriceField) => A): Readonly<Record<PriceField, A>> => ({
  cpuPerCoreHour: make("cpuPerCoreHour"),
  spotCpuPerCoreHour: make("spotCpuPerCoreHour"),
  memoryPerGiBHour: make("memoryPerGiBHour"),
  spotMemoryPerGiBHour: make("spotMemoryPerGiBHour"),
  gpuPerHour: make("gpuPerHour"),
  spotGpuPerHour: make("spotGpuPerHour"),
  storagePerGiBHour: make("storagePerGiBHour"),
  zoneEgressPerGiB: make("zoneEgressPerGiB"),
  regionEgressPerGiB: make("regionEgressPerGiB"),
  internetEgressPerGiB: make("internetEgressPerGiB"),
  loadBalancerPerHour: make("loadBalancerPerHour"),
  clusterPerHour: make("clusterPerHour")
})

/** Prints a number for a field, without an exponent. */
const textOf = (value: unknown): string => {
  if (typeof value !== "number") return String(value)
  const text = String(value)
  return text.includes("e") ? value.toFixed(12).replace(/0+$/, "") : text
}

const textsOf = (fields: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOf(value)]))

export const fromBook = (book: Book): PriceDraft => ({
  currency: book.currency,
  rate: textOf(book.rate),
  prices: ofProviders((provider) => ofPrices((field) => textOf(book.default[provider][field]))),
  overrides: book.overrides.map(({ match, resource, ...terms }, id) => ({
    id,
    resource,
    match: textsOf(match),
    terms: textsOf(terms)
  }))
})

const numberOf = (text: string): number | undefined => (/^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined)

const filled = (fields: Readonly<Record<string, string>>, names: ReadonlyArray<string>) =>
  names.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const text = (fields[name] ?? "").trim()
    return text === "" ? [] : [[name, text]]
  })

/** The only field among an override's prices whose value is not a number. */
const INSTANT = "validFrom"

/** Makes the request body. **Errors** {@link FieldErrors} of single fields; the server validates the rest. */
export const toBody = (draft: PriceDraft, version: number): Result.Result<object, FieldErrors> => {
  const errors: Record<string, string> = {}
  const price = (text: string, field: string, maximum = MAX_PRICE): number => {
    const value = numberOf(text)
    if (value !== undefined && value <= maximum) return value
    errors[field] = `Enter a number from 0 to ${maximum}, such as 0.031`
    return 0
  }
  const rate = numberOf(draft.rate)
  if (rate === undefined || rate <= 0) errors["rate"] = "Enter a number above 0"
  if (!/^[A-Z]{3}$/.test(draft.currency.trim())) errors["currency"] = "Enter three capital letters, such as EUR"
  const body = {
    version,
    currency: draft.currency.trim(),
    rate: rate ?? 1,
    default: ofProviders((provider) =>
      ofPrices((field) => price(draft.prices[provider][field], `${provider}.${field}`))
    ),
    overrides: draft.overrides.map(({ match, resource, terms }, index) => {
      const { match: matched, prices } = RESOURCES[resource]
      const stated = filled(terms, [...prices, "discountPercent", INSTANT])
      if (stated.every(([name]) => name === INSTANT)) {
        errors[`overrides.${index}`] = "Enter a price or a discount"
      }
      return {
        resource,
        match: Object.fromEntries(filled(match, matched)),
        ...Object.fromEntries(
          stated.map(([name, text]) => [
            name,
            name === INSTANT
              ? text
              : price(text, `overrides.${index}.${name}`, name === "discountPercent" ? 100 : MAX_PRICE)
          ])
        )
      }
    })
  }
  return Object.keys(errors).length === 0 ? Result.succeed(body) : Result.fail(errors)
}

/** A change of the draft. **Shape** `before` is absent for a new value, `after` for a removed one. */
export interface Change {
  readonly what: string
  readonly before?: string
  readonly after?: string
}

const overrideText = ({ match, resource, terms }: OverrideDraft): string => {
  const parts = (fields: Readonly<Record<string, string>>) =>
    Object.entries(fields)
      .filter(([, text]) => text.trim() !== "")
      .map(([name, text]) => `${name} ${text.trim()}`)
      .toSorted()
  const narrowed = parts(match)
  return `${RESOURCES[resource].name}${narrowed.length === 0 ? "" : ` (${narrowed.join(", ")})`}: ${parts(terms).join(", ")}`
}

/** Returns the changes of a draft. */
export const changesOf = (book: PriceDraft, draft: PriceDraft): ReadonlyArray<Change> => {
  const field = (what: string, before: string, after: string): ReadonlyArray<Change> =>
    before.trim() === after.trim() ? [] : [{ what, before, after: after.trim() }]
  const before = book.overrides.map(overrideText)
  const after = draft.overrides.map(overrideText)
  return [
    ...field("Currency", book.currency, draft.currency),
    ...field("Rate", book.rate, draft.rate),
    ...PROVIDERS.flatMap(([provider, providerName]) =>
      PRICES.flatMap(([name, label]) =>
        field(`${providerName}: ${label}`, book.prices[provider][name], draft.prices[provider][name])
      )
    ),
    ...before.filter((text) => !after.includes(text)).map((text) => ({ what: "Override", before: text })),
    ...after.filter((text) => !before.includes(text)).map((text) => ({ what: "Override", after: text }))
  ]
}

/**
 * Applies the changes of a draft to a newer version of the book.
 *
 * **Shape** changed fields keep the draft's value, all others take the newer one. The overrides count as one field.
 */
export const rebase = (draft: PriceDraft, from: PriceDraft, onto: PriceDraft): PriceDraft => {
  const pick = <A>(mine: A, old: A, theirs: A): A => (JSON.stringify(mine) === JSON.stringify(old) ? theirs : mine)
  return {
    currency: pick(draft.currency, from.currency, onto.currency),
    rate: pick(draft.rate, from.rate, onto.rate),
    prices: ofProviders((provider) =>
      ofPrices((field) =>
        pick(draft.prices[provider][field], from.prices[provider][field], onto.prices[provider][field])
      )
    ),
    overrides: pick(draft.overrides, from.overrides, onto.overrides)
  }
}
