/**
 * The form of an API key: its fields and the request bodies made of them.
 */
import { CreateApiKey, type UpdateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Result, Schema, SchemaIssue } from "effect"
import type { ApiKey, Role, Rule, Selector } from "../api/Shapes.ts"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { labelOf, repeatsKey } from "../form/Labels.ts"

/**
 * Fields of one selection of namespaces.
 *
 * **Shape** `labels` are written `key=value`. `id` identifies the row in the form.
 */
export interface SelectorDraft {
  readonly id: number
  readonly names: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** Selection of the caller's rule that this one must lie inside; absent if there is no limit. */
  readonly within?: Selector
}

/**
 * Fields of an expiry.
 *
 * **Shape** `date` is a day in the user's time zone, such as `2027-01-31`. The key is valid until the end of that day.
 */
export type ExpiryDraft =
  | { readonly _tag: "Never" }
  | { readonly _tag: "After"; readonly count: string; readonly unit: "d" | "y" }
  | { readonly _tag: "On"; readonly date: string }

export interface KeyDraft {
  readonly name: string
  readonly description: string
  /** Ranges of client addresses. Empty: the caller's own ranges, or any address. */
  readonly allowFrom: ReadonlyArray<string>
  readonly role: Role
  /** `undefined`: every cluster. */
  readonly clusters: ReadonlyArray<string> | undefined
  /** `undefined`: every namespace. */
  readonly selectors: ReadonlyArray<SelectorDraft> | undefined
  readonly expiry: ExpiryDraft
}

export const emptySelector = (id: number): SelectorDraft => ({ id, names: [], labels: [] })

/** Prints the labels of a selector as `key=value`. */
export const labelsOf = ({ labelSelector }: Selector): ReadonlyArray<string> =>
  Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)

/** Returns initial selections inside a rule: copies of all its selections. */
export const selectorsInside = ({ targetNamespaces }: Rule): ReadonlyArray<SelectorDraft> | undefined =>
  targetNamespaces?.map((within, index) => ({
    id: index + 1,
    names: within.namespaceNames,
    labels: labelsOf(within),
    within
  }))

/** Returns a further selection. If selections are limited to a rule, it is a copy of the last one. */
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

/** Returns the `expire` member of a request. **Shape** `undefined`: never. */
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
const LABELS_ONCE = "Use each label key only once"

const selectorErrors = (selector: SelectorDraft, index: number): FieldErrors => {
  const { labels } = selector
  return {
    ...(isEmpty(selector) ? { [`selectors.${index}.names`]: "Enter a namespace, or a label below" } : {}),
    ...(repeatsKey(labels) ? { [`selectors.${index}.labels`]: LABELS_ONCE } : {}),
    ...(labels.some((label) => !label.includes("=")) ? { [`selectors.${index}.labels`]: LABELS_SPELLED } : {})
  }
}

/** Returns the error of an invalid expiry. */
export const expiryError = (expiry: ExpiryDraft): string | undefined => {
  if (expiry._tag === "After" && !/^[1-9][0-9]{0,3}$/.test(expiry.count.trim())) {
    return "Enter a whole number from 1 to 9999"
  }
  return expiry._tag === "On" && expireOf(expiry) === "" ? "Choose a day" : undefined
}

const expiryErrors = (expiry: ExpiryDraft): FieldErrors => {
  const expire = expiryError(expiry)
  return expire === undefined ? {} : { expire }
}

/** Errors of empty and invalid fields, with clearer messages than the schema's. */
const omissions = ({ clusters, expiry, name, selectors }: KeyDraft): FieldErrors => ({
  ...(name.trim() === "" ? { name: "Enter a name for the key" } : {}),
  ...(clusters?.length === 0 ? { clusters: "Enter a cluster, or choose every cluster" } : {}),
  ...expiryErrors(expiry),
  ...Object.fromEntries((selectors ?? []).flatMap((selector, index) => Object.entries(selectorErrors(selector, index))))
})

/**
 * Makes the body that creates a key.
 *
 * **Errors** {@link FieldErrors} by the rules of the contract.
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

/** The members of a key that can be changed. */
type Changeable = Pick<ApiKey, "name" | "description" | "allowFrom" | "rule">

/** Returns a draft with the current values of a key. */
export const changeOf = ({ allowFrom = [], description = "", name, rule }: Changeable): KeyDraft => ({
  name,
  description,
  allowFrom,
  role: rule.role,
  clusters: rule.targetClusters,
  selectors: selectorsInside(rule),
  expiry: { _tag: "Never" }
})

/** Returns a text that is equal for equal rules, whatever their order. */
const contentOf = ({ role, targetClusters, targetNamespaces }: Rule): string =>
  JSON.stringify([
    role,
    targetClusters?.toSorted(),
    targetNamespaces
      ?.map((selector) => JSON.stringify([selector.namespaceNames.toSorted(), labelsOf(selector).toSorted()]))
      .toSorted()
  ])

/**
 * Makes the body that changes a key.
 *
 * **Shape** unchanged members are omitted. The order of a rule does not matter.
 *
 * **Errors** {@link FieldErrors} by the rules of the contract.
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

const RANGE_NEEDED = "Keep at least one range: a key cannot get more addresses than it has"

const isSameSet = (ranges: ReadonlyArray<string>, other: ReadonlyArray<string> | undefined): boolean =>
  other !== undefined && JSON.stringify(ranges.toSorted()) === JSON.stringify(other.toSorted())

const ruleOf = ({ clusters, role, selectors }: KeyDraft, shown: ReadonlyArray<SelectorDraft>) => ({
  role,
  ...(clusters === undefined ? {} : { targetClusters: clusters }),
  ...(selectors === undefined ? {} : { targetNamespaces: shown.map(selectorOf) })
})

const decodeRule = Schema.decodeUnknownResult(CreateApiKey.fields.rule, { onExcessProperty: "error" })

/**
 * Makes the rule of an unfinished form, for the preview.
 *
 * **Shape** empty selections are omitted. `undefined` if the rest is not a valid rule.
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
