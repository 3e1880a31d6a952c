/**
 * Every resource that a cluster currently provides: the built-in ones, and those of CustomResourceDefinitions.
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
 * Registers and finds resources.
 *
 * **Limits** `find` costs at most two map look-ups. `groupVersions` is computed once after each change.
 */
export class Registry {
  readonly #custom = new Map<string, ReadonlyArray<Resource>>()
  readonly #watchers = new Map<string, Set<() => void>>()
  #byPath: ReadonlyMap<string, Resource> = new Map()
  #versions: ReadonlyArray<GroupVersion> = BUILT_IN_VERSIONS
  #generation = 0

  /** Counter of changes. A cache of derived values is valid while the counter is the same. */
  get generation(): number {
    return this.#generation
  }

  /** Every version of every group. Groups are in discovery order; each group's preferred version comes first. */
  get groupVersions(): ReadonlyArray<GroupVersion> {
    return this.#versions
  }

  /** Custom resources by the name of their definition. */
  get custom(): ReadonlyMap<string, ReadonlyArray<Resource>> {
    return this.#custom
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    const path = pathOf(group, version, resource)
    return BUILT_IN.get(path) ?? this.#byPath.get(path)
  }

  /** Resources of one group version, in discovery order. */
  served(group: string, version: string): ReadonlyArray<Resource> {
    const is = (one: Resource) => one.group === group && one.version === version
    const added = [...this.#byPath.values()].filter(is)
    return [...Resources.all.filter(is), ...added.toSorted((left, right) => (left.resource < right.resource ? -1 : 1))]
  }

  /** Replaces the resources of a definition. If `matters` is true, the callbacks of {@link onChange} run. */
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

  /** Calls `end` once, when {@link define} next replaces the resource with `matters`. Returns a cancel function. */
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
