/**
 * Keeps one copy of texts that many objects repeat.
 */

import type { ContainerTemplate } from "./ContainerTemplate.ts"

/** **Limits** at most `capacity` texts and as many lists, label maps and templates; beyond, it forgets all and shares anew. */
export interface Interner {
  readonly text: (text: string) => string
  readonly texts: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly labels: (labels: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** **Shape** `key` tells apart what the containers of a pod ask for. */
  readonly containers: (key: string, make: () => ReadonlyArray<ContainerTemplate>) => ReadonlyArray<ContainerTemplate>
}

/** Objects that live long after a churn of names must not keep the names alive. */
const CAPACITY = 65_536

export const make = (capacity: number = CAPACITY): Interner => {
  const texts = new Map<string, string>()
  const lists = new Map<string, ReadonlyArray<string>>()
  const maps = new Map<string, Readonly<Record<string, string>>>()
  const templates = new Map<string, ReadonlyArray<ContainerTemplate>>()

  const text = (value: string): string => keep(texts, value, capacity, () => value)

  const list: Interner["texts"] = (values) => keep(lists, values.join("\n"), capacity, () => values.map(text))

  const labels: Interner["labels"] = (value) => {
    const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
    // Neither a key nor a value of a label can hold a line break.
    const key = entries.map(([name, content]) => `${name}\n${content}`).join("\n")
    return keep(maps, key, capacity, () =>
      Object.fromEntries(entries.map(([name, content]) => [text(name), text(content)]))
    )
  }

  const containers: Interner["containers"] = (key, make) => keep(templates, key, capacity, make)

  return { text, texts: list, labels, containers }
}

const keep = <A>(kept: Map<string, A>, key: string, capacity: number, make: () => A): A => {
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= capacity) kept.clear()
  const value = make()
  kept.set(key, value)
  return value
}
