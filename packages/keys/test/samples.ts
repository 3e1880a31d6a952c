/** Keys and rules that several tests use, and ways to draw random ones. */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import type { NamespaceSelector } from "@quarterdeck/targeting/NamespaceFilter"
import { DateTime, Result, Schema } from "effect"
import { KeyHash } from "../src/KeyHash.ts"
import type { KeyRecord } from "../src/KeyStore.ts"
import * as Rule from "../src/Rule.ts"

export const at = (text: string): DateTime.Utc => DateTime.makeUnsafe(text)

export const rule = (input: unknown): Rule.Rule => Result.getOrThrow(Rule.decode(input))

export const admin = rule({ role: "Admin" })
export const viewer = rule({ role: "Viewer" })
export const shopAdmin = rule({
  role: "Admin",
  targetClusters: ["prod"],
  targetNamespaces: [{ namespaceNames: ["shop"] }]
})

export const hashOf = (digit: string): KeyHash => KeyHash.make(digit.repeat(64))

export const record = (fields: Partial<KeyRecord> & Pick<KeyRecord, "id" | "hash">): KeyRecord => ({
  name: fields.id,
  start: "qd_abcdef",
  rule: viewer,
  createdAt: at("2026-01-01T00:00:00Z"),
  ...fields
})

/** Few clusters, names and labels, so that two random rules often overlap. */
const SmallSelector = Schema.Struct({
  names: Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMaxLength(2)),
  labels: Schema.Array(Schema.Tuple([Schema.Literals(["k", "l"]), Schema.Literals(["1", "2"])])).check(
    Schema.isMaxLength(2)
  )
})

export const SmallRule = Schema.Struct({
  role: Rule.Role,
  clusters: Schema.Array(Schema.Literals(["c1", "c2", "c3"])).check(Schema.isMaxLength(2)),
  selectors: Schema.Array(SmallSelector).check(Schema.isMaxLength(2))
})

const toSelector = ({ labels, names }: typeof SmallSelector.Type): NamespaceSelector => ({
  namespaceNames: names,
  ...(labels.length === 0 ? {} : { labelSelector: { matchLabels: Object.fromEntries(labels) } })
})

/** Makes a rule; an empty list leaves its field out. */
export const toRule = ({ clusters, role, selectors }: typeof SmallRule.Type): Rule.Rule => {
  const targetClusters = clusters.map((name) => ClusterName.ClusterName.make(name))
  const targetNamespaces = selectors
    .map(toSelector)
    .filter((selector) => selector.namespaceNames.length > 0 || selector.labelSelector !== undefined)
  return {
    role,
    ...(targetClusters.length === 0 ? {} : { targetClusters }),
    ...(targetNamespaces.length === 0 ? {} : { targetNamespaces })
  }
}
