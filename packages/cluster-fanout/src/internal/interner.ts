/**
 * Keeps one copy of texts that many objects repeat.
 *
 * @since 0.1.0
 */

/** **Limits** at most `capacity` texts and as many label maps; beyond, it forgets all and shares anew. */
export interface Interner {
  readonly text: (text: string) => string
  readonly labels: (labels: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
}

/** Objects that live long after a churn of names must not keep the names alive. */
const CAPACITY = 65_536

export const make = (capacity: number = CAPACITY): Interner => {
  const texts = new Map<string, string>()
  const maps = new Map<string, Readonly<Record<string, string>>>()

  const text = (value: string): string => keep(texts, value, capacity, () => value)

  const labels: Interner["labels"] = (value) => {
    const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
    // Neither a key nor a value of a label can hold a line break.
    const key = entries.map(([name, content]) => `${name}\n${content}`).join("\n")
    return keep(maps, key, capacity, () =>
      Object.fromEntries(entries.map(([name, content]) => [text(name), text(content)]))
    )
  }

  return { text, labels }
}

const keep = <A>(kept: Map<string, A>, key: string, capacity: number, make: () => A): A => {
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= capacity) kept.clear()
  const value = make()
  kept.set(key, value)
  return value
}
