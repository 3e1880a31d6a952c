/**
 * API groups that other servers provide behind this server, as its APIService objects declare them.
 *
 * **Source** Kubernetes, `k8s.io/kube-aggregator`; "Kubernetes API Aggregation Layer".
 */
import { arrayAt, at, isObject, type Json, type JsonObject, numberAt, objectAt, textAt } from "./Json.ts"
import * as Resources from "./Resources.ts"
import type { Store } from "./Store.ts"
import { read, type Stored } from "./Stored.ts"

/** One version of an API group that another server provides. */
export interface AggregatedApi {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly priority: number
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number }
  /** PEM of the authorities that may sign the other server's certificate. Empty: the machine's own authorities. */
  readonly caPem: string
  readonly skipsTlsVerification: boolean
  readonly available: boolean
}

const DEFAULT_PORT = 443

/** Reads an APIService. Returns `undefined` for a group that this server provides itself. */
export const fromStored = (stored: Stored): AggregatedApi | undefined => {
  const object = read(stored)
  const spec = objectAt(object, "spec")
  if (!isObject(spec["service"])) return undefined
  return {
    name: stored.name,
    group: textAt(spec, "group"),
    version: textAt(spec, "version"),
    priority: numberAt(spec, "groupPriorityMinimum") ?? 0,
    service: {
      namespace: textAt(spec, "service", "namespace"),
      name: textAt(spec, "service", "name"),
      port: numberAt(spec, "service", "port") ?? DEFAULT_PORT
    },
    caPem: Buffer.from(textAt(spec, "caBundle"), "base64").toString(),
    skipsTlsVerification: at(spec, "insecureSkipTLSVerify") === true,
    available: arrayAt(object, "status", "conditions").some(
      (one) => textAt(one, "type") === "Available" && textAt(one, "status") === "True"
    )
  }
}

/**
 * Lists the APIs of other servers.
 *
 * **Limits** reads the APIService objects once after each change to one of them.
 */
export class AggregatedApis {
  readonly #store: Store
  readonly #resources = new Map<string, ReadonlyArray<JsonObject>>()
  #known: ReadonlyArray<AggregatedApi> | undefined

  constructor(store: Store) {
    this.#store = store
    store.subscribe(Resources.apiServices, () => {
      this.#known = undefined
    })
  }

  /** Every aggregated API, highest priority first. */
  get all(): ReadonlyArray<AggregatedApi> {
    this.#known ??= this.#store
      .list(Resources.apiServices, "")
      .flatMap((stored) => fromStored(stored) ?? [])
      .toSorted((left, right) => right.priority - left.priority || (left.group < right.group ? -1 : 1))
    return this.#known
  }

  find(group: string, version: string): AggregatedApi | undefined {
    return this.all.find((one) => one.group === group && one.version === version)
  }

  /** Resources of one API version, in the form of aggregated discovery. Empty until its server has listed them. */
  resourcesOf(name: string): ReadonlyArray<JsonObject> {
    return this.#resources.get(name) ?? []
  }

  /** Stores the APIResourceList that a server answered for its API. */
  learn(api: AggregatedApi, list: Json): void {
    this.#resources.set(api.name, discovered(api, arrayAt(list, "resources")))
  }
}

const discovered = (api: AggregatedApi, listed: ReadonlyArray<Json>): ReadonlyArray<JsonObject> => {
  const kindOf = (one: Json): JsonObject => ({
    group: textAt(one, "group") || api.group,
    version: textAt(one, "version") || api.version,
    kind: textAt(one, "kind")
  })
  return listed
    .filter((one) => !textAt(one, "name").includes("/"))
    .map((one) => {
      const name = textAt(one, "name")
      const parts = listed.filter((other) => textAt(other, "name").startsWith(`${name}/`))
      const short = arrayAt(one, "shortNames")
      const categories = arrayAt(one, "categories")
      return {
        resource: name,
        responseKind: kindOf(one),
        scope: at(one, "namespaced") === true ? "Namespaced" : "Cluster",
        singularResource: textAt(one, "singularName"),
        verbs: arrayAt(one, "verbs"),
        ...(short.length === 0 ? {} : { shortNames: short }),
        ...(categories.length === 0 ? {} : { categories }),
        ...(parts.length === 0
          ? {}
          : {
              subresources: parts.map((part) => ({
                subresource: textAt(part, "name").slice(name.length + 1),
                responseKind: kindOf(part),
                verbs: arrayAt(part, "verbs")
              }))
            })
      }
    })
}
