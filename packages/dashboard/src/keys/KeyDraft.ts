/**
 * A key as the form holds it, before it is one.
 */
import { CreateApiKey, type UpdateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Result, Schema, SchemaIssue } from "effect"
import type { ApiKey, Role, Rule, Selector } from "../api/Shapes.ts"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { labelOf, repeatsKey } from "../form/Labels.ts"

/**
 * One selection of namespaces, as the form holds it.
 *
 * **Shape** `labels` are written `key=value`; `id` tells rows of the form apart.
 */
export interface SelectorDraft {
  readonly id: number
  readonly names: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** The selection that it must lie inside; absent where it may select anything. */
  readonly within?: Selector
}

/**
 * When a key expires, as the form holds it.
 *
 * **Shape** `date` is a day of the reader's calendar, `2027-01-31`; the key is valid until that day is over.
 */
export type ExpiryDraft =
  | { readonly _tag: "Never" }
  | { readonly _tag: "After"; readonly count: string; readonly unit: "d" | "y" }
  | { readonly _tag: "On"; readonly date: string }

export interface KeyDraft {
  readonly name: string
  readonly description: string
  /** Ranges of client addresses; none: those of the key's maker, or everywhere. */
  readonly allowFrom: ReadonlyArray<string>
  readonly role: Role
  /** `undefined`: every cluster. */
  readonly clusters: ReadonlyArray<string> | undefined
  /** `undefined`: every namespace. */
  readonly selectors: ReadonlyArray<SelectorDraft> | undefined
  readonly expiry: ExpiryDraft
}

export const emptySelector = (id: number): SelectorDraft => ({ id, names: [], labels: [] })

/** The labels of a selector as the form writes them. */
export const labelsOf = ({ labelSelector }: Selector): ReadonlyArray<string> =>
  Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)

/** Begins the selections of a rule that must lie inside another: with all of that one. */
export const selectorsInside = ({ targetNamespaces }: Rule): ReadonlyArray<SelectorDraft> | undefined =>
  targetNamespaces?.map((within, index) => ({
    id: index + 1,
    names: within.namespaceNames,
    labels: labelsOf(within),
    within
  }))

/** Begins another selection after these: where they must lie inside others, as a copy of the last. */
export const nextSelector = (selectors: ReadonlyArray<SelectorDraft>): SelectorDraft => {
  const id = Math.max(0, ...selectors.map((selector) => selector.id)) + 1
  const last = selectors.at(-1)
  return last?.within === undefined ? emptySelector(id) : { ...last, id }
}

const selectorOf = ({ labels, names }: SelectorDraft) => ({
  namespaceNames: names,
  ...(labels.length === 0 ? {} : { labelSelector: { matchLabels: Object.fromEntries(labels.map(labelOf)) } })
})

const isEmpty = ({ labels, names }: SelectorDraft): boolean => labels.length === 0 && names.length === 0

/** Gives the expiry as a create call takes it. **Shape** `undefined`: never. */
export const expireOf = (expiry: ExpiryDraft): string | undefined => {
  switch (expiry._tag) {
    case "Never":
      return undefined
    case "After":
      return `${expiry.count.trim()}${expiry.unit}`
    case "On": {
      const end = new Date(`${expiry.date}T23:59:59`)
      return Number.isNaN(end.getTime()) ? "" : end.toISOString().replace(".000Z", "Z")
    }
  }
}

const decode = Schema.decodeUnknownResult(CreateApiKey, { errors: "all", onExcessProperty: "error" })
const print = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Maps a path in the request body to a form field.
 *
 * **Shape** `name`, `description`, `allowFrom`, `clusters`, `selectors`, `selectors.0.names`, `selectors.0.labels`, `expire`,
 * `rule`.
 */
export const fieldOf = (path: ReadonlyArray<PropertyKey>): string => {
  const [head, part, index, member] = path.map(String)
  if (head !== "rule") return head ?? ""
  if (part === "targetClusters") return "clusters"
  if (part !== "targetNamespaces") return part ?? "rule"
  if (index === undefined) return "selectors"
  return `selectors.${index}.${member === "labelSelector" ? "labels" : "names"}`
}

const LABELS_SPELLED = "Write each label as key=value"
const LABELS_ONCE = "Name each label once: a namespace has one value of it"

const selectorErrors = (selector: SelectorDraft, index: number): FieldErrors => {
  const { labels } = selector
  return {
    ...(isEmpty(selector) ? { [`selectors.${index}.names`]: "Name a namespace, or a label below" } : {}),
    ...(repeatsKey(labels) ? { [`selectors.${index}.labels`]: LABELS_ONCE } : {}),
    ...(labels.some((label) => !label.includes("=")) ? { [`selectors.${index}.labels`]: LABELS_SPELLED } : {})
  }
}

/** Says what is wrong with an expiry, if anything is. */
export const expiryError = (expiry: ExpiryDraft): string | undefined => {
  if (expiry._tag === "After" && !/^[1-9][0-9]{0,3}$/.test(expiry.count.trim())) {
    return "Give a whole number from 1 to 9999"
  }
  return expiry._tag === "On" && expireOf(expiry) === "" ? "Choose a day" : undefined
}

const expiryErrors = (expiry: ExpiryDraft): FieldErrors => {
  const expire = expiryError(expiry)
  return expire === undefined ? {} : { expire }
}

/** What the form asks before it asks the schema: words for what was left empty. */
const omissions = ({ clusters, expiry, name, selectors }: KeyDraft): FieldErrors => ({
  ...(name.trim() === "" ? { name: "Give the key a name" } : {}),
  ...(clusters?.length === 0 ? { clusters: "Name a cluster, or let the key reach every one" } : {}),
  ...expiryErrors(expiry),
  ...Object.fromEntries((selectors ?? []).flatMap((one, index) => Object.entries(selectorErrors(one, index))))
})

/**
 * Makes the body of the create call.
 *
 * **Errors** {@link FieldErrors}, by the rules of the contract.
 */
export const toBody = (draft: KeyDraft): Result.Result<CreateApiKey, FieldErrors> => {
  const missing = omissions(draft)
  const expire = expireOf(draft.expiry)
  const decoded = decode({
    name: draft.name.trim(),
    ...(draft.description.trim() === "" ? {} : { description: draft.description.trim() }),
    ...(draft.allowFrom.length === 0 ? {} : { allowFrom: draft.allowFrom }),
    rule: ruleOf(draft, draft.selectors ?? []),
    ...(expire === undefined ? {} : { expire })
  })
  const errors = Result.isSuccess(decoded)
    ? {}
    : Object.fromEntries(
        print(decoded.failure.issue).issues.map(({ message, path = [] }) => [
          fieldOf(path.map((step) => (typeof step === "object" ? step.key : step))),
          message
        ])
      )
  if (Object.keys(missing).length > 0) return Result.fail({ ...errors, ...missing })
  return Result.mapError(decoded, () => errors)
}

/** What can be changed of a key. */
type Changeable = Pick<ApiKey, "name" | "description" | "allowFrom" | "rule">

/** Begins a change of a key. */
export const changeOf = ({ allowFrom = [], description = "", name, rule }: Changeable): KeyDraft => ({
  name,
  description,
  allowFrom,
  role: rule.role,
  clusters: rule.targetClusters,
  selectors: selectorsInside(rule),
  expiry: { _tag: "Never" }
})

/** Writes what a rule says, in whatever order it says it. */
const contentOf = ({ role, targetClusters, targetNamespaces }: Rule): string =>
  JSON.stringify([
    role,
    targetClusters?.toSorted(),
    targetNamespaces
      ?.map((selector) => JSON.stringify([selector.namespaceNames.toSorted(), labelsOf(selector).toSorted()]))
      .toSorted()
  ])

/**
 * Makes the body of the call that changes a key.
 *
 * **Shape** what stays as it is is left out; another order is no other rule.
 *
 * **Errors** {@link FieldErrors}, by the rules of the contract.
 */
export const toChange = (draft: KeyDraft, key: Changeable): Result.Result<UpdateApiKey, FieldErrors> => {
  if (draft.allowFrom.length === 0 && key.allowFrom !== undefined) return Result.fail({ allowFrom: RANGE_NEEDED })
  return Result.map(toBody({ ...draft, expiry: { _tag: "Never" } }), ({ allowFrom, description = "", name, rule }) => ({
    ...(name === key.name.trim() ? {} : { name }),
    ...(description === (key.description ?? "").trim() ? {} : { description }),
    ...(contentOf(rule) === contentOf(key.rule) ? {} : { rule }),
    ...(allowFrom === undefined || isSameSet(allowFrom, key.allowFrom) ? {} : { allowFrom })
  }))
}

const RANGE_NEEDED = "Keep a range: a key never gets more addresses than it has"

const isSameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string> | undefined): boolean =>
  other !== undefined && JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())

const ruleOf = ({ clusters, role, selectors }: KeyDraft, shown: ReadonlyArray<SelectorDraft>) => ({
  role,
  ...(clusters === undefined ? {} : { targetClusters: clusters }),
  ...(selectors === undefined ? {} : { targetNamespaces: shown.map(selectorOf) })
})

const decodeRule = Schema.decodeUnknownResult(CreateApiKey.fields.rule, { onExcessProperty: "error" })

/**
 * Makes the rule of a form that is still being filled in, for its preview.
 *
 * **Shape** selectors that say nothing yet are left out, for they will not be sent; `undefined` while the rest is no rule.
 */
export const toRule = (draft: KeyDraft): Rule | undefined => {
  const rule = decodeRule(
    ruleOf(
      draft,
      (draft.selectors ?? []).filter((selector) => !isEmpty(selector))
    )
  )
  return Result.isSuccess(rule) ? rule.success : undefined
}
