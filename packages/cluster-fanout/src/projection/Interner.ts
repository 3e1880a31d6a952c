/**
 * Keeps one copy of texts that many objects repeat.
 */

import type { ContainerTemplate } from "./ContainerTemplate.ts"

/**
 * Gives one shared copy of equal values.
 *
 * **Limits** at most `capacity` texts and as many lists, label maps and templates; beyond, all of that kind are
 * forgotten and shared anew.
 */
export interface Interner {
  readonly text: (text: string) => string
  readonly texts: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly labels: (labels: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Shares containers by `key`, which tells apart what the containers of a pod ask for. */
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
    const names = sortedNames(value)
    let key = ""
    // Neither a key nor a value of a label can hold a line break.
    for (const name of names) key += `${name}\n${value[name]}\n`
    return keep(maps, key, capacity, () =>
      Object.fromEntries(names.map((name) => [text(name), text(value[name] ?? "")]))
    )
  }

  const containers: Interner["containers"] = (key, make) => keep(templates, key, capacity, make)

  return { text, texts: list, labels, containers }
}

/** Shares nothing: for what is read once and forgotten, where looking for a copy costs more than another one. */
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

/** Gives the names of labels in order; servers write them so, and such names are not sorted again. */
const sortedNames = (labels: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const names = Object.keys(labels)
  return names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name) ? names : names.toSorted()
}

const keep = <A>(kept: Map<string, A>, key: string, capacity: number, make: () => A): A => {
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= capacity) kept.clear()
  const value = make()
  kept.set(key, value)
  return value
}
