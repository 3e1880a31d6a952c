/**
 * Which lists of an object are sets of things with an identity, and by which fields that identity is known.
 *
 * A strategic merge patch and a server-side apply merge such a list item by item; every other list is replaced whole.
 * The two ways disagree in places, for instance on the ports of a container, so both are written down.
 *
 * **Source** the struct tags `patchMergeKey`, `listMapKey`, `listType` and `structType` of `k8s.io/api` 0.36.
 *
 * @since 0.1.0
 */

/** How one list merges. */
export type ListRule =
  | { readonly _tag: "Atomic" }
  | { readonly _tag: "Set" }
  | { readonly _tag: "Keyed"; readonly keys: ReadonlyArray<string> }

const ATOMIC: ListRule = { _tag: "Atomic" }
const SET: ListRule = { _tag: "Set" }
const keyed = (...keys: ReadonlyArray<string>): ListRule => ({ _tag: "Keyed", keys })

const BOTH: ReadonlyArray<readonly [string, ListRule]> = [
  ["containers", keyed("name")],
  ["initContainers", keyed("name")],
  ["ephemeralContainers", keyed("name")],
  ["env", keyed("name")],
  ["volumes", keyed("name")],
  ["volumeMounts", keyed("mountPath")],
  ["volumeDevices", keyed("devicePath")],
  ["imagePullSecrets", keyed("name")],
  ["hostAliases", keyed("ip")],
  ["resourceClaims", keyed("name")],
  ["schedulingGates", keyed("name")],
  ["conditions", keyed("type")],
  ["addresses", keyed("type")],
  ["podIPs", keyed("ip")],
  ["ownerReferences", keyed("uid")],
  ["finalizers", SET],
  ["podCIDRs", SET]
]

const PATCH = new Map<string, ListRule>([
  ...BOTH,
  ["topologySpreadConstraints", keyed("topologyKey")],
  ["secrets", keyed("name")]
])
const APPLY = new Map<string, ListRule>([
  ...BOTH,
  ["topologySpreadConstraints", keyed("topologyKey", "whenUnsatisfiable")],
  ["secrets", keyed("name")],
  ["claims", keyed("name")]
])

/** Tells how a strategic merge patch merges a list. **Shape** `kind` is the object's, `name` the field's. */
export const forPatch = (kind: string, name: string): ListRule => {
  if (name === "ports") return kind === "Service" ? keyed("port") : keyed("containerPort")
  return PATCH.get(name) ?? ATOMIC
}

/** Tells how an apply merges a list. */
export const forApply = (kind: string, name: string): ListRule => {
  if (name === "ports") return kind === "Service" ? keyed("port", "protocol") : keyed("containerPort", "protocol")
  return APPLY.get(name) ?? ATOMIC
}

/** Objects that one manager owns whole. */
const ATOMIC_OBJECTS = new Set([
  "selector",
  "labelSelector",
  "namespaceSelector",
  "nodeSelector",
  "matchLabels",
  "configMapKeyRef",
  "secretKeyRef",
  "fieldRef",
  "resourceFieldRef",
  "roleRef",
  "involvedObject",
  "claimRef",
  "secretRef",
  "configMapRef"
])

export const isAtomicObject = (name: string): boolean => ATOMIC_OBJECTS.has(name)

/** What a key field is taken to be where an item leaves it out. */
export const keyDefault = (key: string): string | undefined => (key === "protocol" ? "TCP" : undefined)
