/**
 * Everything that a cluster serves at this moment: what is built in, and what definitions have added.
 */
import { compareVersions } from "./KubeVersion.ts"
import type { Resource } from "./Resource.ts"
import * as Resources from "./Resources.ts"

export interface GroupVersion {
  readonly group: string
  readonly version: string
}

const pathOf = (group: string, version: string, resource: string): string => `${group}/${version}/${resource}`

const BUILT_IN = new Map(Resources.all.map((one) => [pathOf(one.group, one.version, one.resource), one]))
const BUILT_IN_VERSIONS = distinct(Resources.all)

/**
 * Knows what is served.
 *
 * **Limits** a look-up costs one or two look-ups in a map; `groupVersions` is computed once after each change.
 */
export class Registry {
  readonly #custom = new Map<string, ReadonlyArray<Resource>>()
  readonly #watchers = new Map<string, Set<() => void>>()
  #byPath: ReadonlyMap<string, Resource> = new Map()
  #versions: ReadonlyArray<GroupVersion> = BUILT_IN_VERSIONS
  #generation = 0

  /** Counts the changes, so that what is derived from them can be kept until the next. */
  get generation(): number {
    return this.#generation
  }

  /** Every version of every group, groups in the order of discovery, the preferred version of a group first. */
  get groupVersions(): ReadonlyArray<GroupVersion> {
    return this.#versions
  }

  /** What definitions have added, by the name of the definition. */
  get custom(): ReadonlyMap<string, ReadonlyArray<Resource>> {
    return this.#custom
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    const path = pathOf(group, version, resource)
    return BUILT_IN.get(path) ?? this.#byPath.get(path)
  }

  /** What one version of a group has, in the order of discovery. */
  served(group: string, version: string): ReadonlyArray<Resource> {
    const is = (one: Resource) => one.group === group && one.version === version
    const added = [...this.#byPath.values()].filter(is)
    return [...Resources.all.filter(is), ...added.toSorted((left, right) => (left.resource < right.resource ? -1 : 1))]
  }

  /** Serves what a definition says, instead of what it said before; watches of that end where the change matters. */
  define(definition: string, resources: ReadonlyArray<Resource>, matters: boolean): void {
    if (resources.length === 0) this.#custom.delete(definition)
    else this.#custom.set(definition, resources)
    const all = [...this.#custom.values()].flat()
    this.#byPath = new Map(all.map((one) => [pathOf(one.group, one.version, one.resource), one]))
    this.#versions = [...BUILT_IN_VERSIONS, ...ordered(distinct(all))]
    this.#generation++
    if (!matters) return
    const watchers = this.#watchers.get(definition)
    this.#watchers.delete(definition)
    for (const end of watchers ?? []) end()
  }

  /** Calls back once what is served of a resource changes, until the returned function is called. */
  onChange(resource: Resource, end: () => void): () => void {
    const definition = resource.custom?.definition
    if (definition === undefined) return () => undefined
    const watchers = this.#watchers.get(definition) ?? new Set()
    this.#watchers.set(definition, watchers)
    watchers.add(end)
    return () => watchers.delete(end)
  }
}

function distinct(resources: ReadonlyArray<Resource>): ReadonlyArray<GroupVersion> {
  return [
    ...new Map(resources.map(({ group, version }) => [`${group}/${version}`, { group, version }] as const)).values()
  ]
}

const ordered = (versions: ReadonlyArray<GroupVersion>): ReadonlyArray<GroupVersion> =>
  versions.toSorted((left, right) =>
    left.group === right.group ? compareVersions(right.version, left.version) : left.group < right.group ? -1 : 1
  )
