/**
 * Shares one copy of values that many objects repeat.
 */

import type { ContainerTemplate } from "./ContainerTemplate.ts"

/**
 * Returns a shared copy of equal values.
 *
 * **Limits** at most `capacity` texts, and as many each of lists, label maps and templates. When one of these four
 * caches is full, it is emptied.
 */
export interface Interner {
  readonly text: (text: string) => string
  readonly texts: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly labels: (labels: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Shares containers by `key`, which must identify their requests. */
  readonly containers: (key: string, make: () => ReadonlyArray<ContainerTemplate>) => ReadonlyArray<ContainerTemplate>
}

/** Bounds the memory of texts that are no longer in use. */
const CAPACITY = 65_536

export const make = (capacity: number = CAPACITY): Interner => {
  const texts = new Map<string, string>()
  const lists = new Map<string, ReadonlyArray<string>>()
  const maps = new Map<string, Readonly<Record<string, string>>>()
  const templates = new Map<string, ReadonlyArray<ContainerTemplate>>()

  const text = (value: string): string => cached(texts, value, capacity, () => value)

  const list: Interner["texts"] = (values) => cached(lists, values.join("\n"), capacity, () => values.map(text))

  const labels: Interner["labels"] = (value) => {
    const names = sortedNames(value)
    let key = ""
    // Neither keys nor values of labels can contain a line break.
    for (const name of names) key += `${name}\n${value[name]}\n`
    return cached(maps, key, capacity, () =>
      Object.fromEntries(names.map((name) => [text(name), text(value[name] ?? "")]))
    )
  }

  const containers: Interner["containers"] = (key, make) => cached(templates, key, capacity, make)

  return { text, texts: list, labels, containers }
}

/** Shares nothing. For objects that are read once, looking up a copy costs more than making another one. */
export const none: Interner = {
  text: (value) => value,
  texts: (values) => values,
  labels: (value) => {
    const names = Object.keys(value)
    const sorted = sortedNames(value)
    return names.every((name, index) => name === sorted[index])
      ? value
      : Object.fromEntries(sorted.map((name) => [name, value[name] ?? ""]))
  },
  containers: (_key, make) => make()
}

/** Returns the names of labels in order. Servers mostly send them sorted already. */
const sortedNames = (labels: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const names = Object.keys(labels)
  return names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name) ? names : names.toSorted()
}

const cached = <A>(cache: Map<string, A>, key: string, capacity: number, make: () => A): A => {
  const known = cache.get(key)
  if (known !== undefined) return known
  if (cache.size >= capacity) cache.clear()
  const value = make()
  cache.set(key, value)
  return value
}
