/**
 * Decides to which history a cluster's costs are added. The rules are pure functions on the book of histories.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import type { KeptHistory } from "./HistoryStore.ts"

/** Identity of the cluster that has a name now. **Shape** `uid` is absent if the credential cannot read it. */
export interface SeenCluster {
  readonly name: ClusterName
  readonly uid: string | undefined
  readonly connection: string
}

/** The history that a cluster's costs are added to, and the histories to save before that. */
export interface Succession {
  readonly holder: KeptHistory
  readonly changed: ReadonlyArray<KeptHistory>
  /** The history that lost the name, if any. */
  readonly renamed: KeptHistory | undefined
}

/** Inputs of {@link settle} besides the book. */
export interface Facts {
  readonly nowMs: number
  /** A key that no history has. */
  readonly freshKey: ClusterName
  /** Returns the end of the last closed hour of a history; `undefined` if the history has none. */
  readonly endMsOf: (key: ClusterName) => number | undefined
}

/** Finds the history that has a name now. **Shape** `undefined` if no record in the book has it. */
export const holderOf = (book: ReadonlyArray<KeptHistory>, name: ClusterName): KeptHistory | undefined =>
  book.find((history) => history.name === name && history.renamed === undefined)

/** Returns true if the cluster has the server address and authority of a history. Used if a uid is unknown. */
const isSameConnection = ({ connection }: KeptHistory, seen: SeenCluster): boolean =>
  connection === undefined || connection === seen.connection

/**
 * Returns true if a history belongs to a cluster, judged by uid and connection.
 *
 * A history without a uid takes the first uid that is read, if server address and authority are the same.
 */
const isOf = (history: KeptHistory, seen: SeenCluster): boolean =>
  seen.uid === undefined || history.uid === undefined ? isSameConnection(history, seen) : history.uid === seen.uid

/** Finds the newest renamed history that belongs to the cluster and had its name. */
const formerOf = (book: ReadonlyArray<KeptHistory>, seen: SeenCluster): KeptHistory | undefined =>
  book
    .filter(({ name, renamed }) => name === seen.name && renamed !== undefined)
    .toSorted((one, other) => other.sinceMs - one.sinceMs)
    .find(({ connection, uid }) => (seen.uid === undefined ? connection === seen.connection : uid === seen.uid))

/**
 * Decides which history of a name a cluster continues.
 *
 * If the history with the name belongs to the cluster, the cluster continues it. Otherwise that history is renamed, and the
 * cluster resumes its earlier history of the name, or starts a new one.
 *
 * **Limits** linear in the book.
 */
export const settle = (book: ReadonlyArray<KeptHistory>, seen: SeenCluster, facts: Facts): Succession => {
  const { freshKey, nowMs } = facts
  const { name } = seen
  const isKeyFree = book.every(({ key }) => key !== name)
  const present = holderOf(book, name) ?? (isKeyFree ? { key: name, name, sinceMs: nowMs } : undefined)
  const former = formerOf(book, seen)
  // A uid that is read for the first time may belong to an earlier history of the name.
  const isKnownBefore = present?.uid === undefined && seen.uid !== undefined && former !== undefined
  const goesOn = present !== undefined && isOf(present, seen) && !isKnownBefore
  if (goesOn) {
    const holder = known(present, seen)
    return { holder, changed: isSame(holder, holderOf(book, name)) ? [] : [holder], renamed: undefined }
  }
  const { renamed: _, ...resumed } = former ?? { key: freshKey, name, sinceMs: nowMs }
  const holder = known({ ...resumed, sinceMs: nowMs }, seen)
  if (present === undefined) return { holder, changed: [holder], renamed: undefined }
  const taken = new Set(book.filter(({ key }) => key !== former?.key).map((history) => history.renamed))
  const endMs = (facts.endMsOf(present.key) ?? nowMs) - 1
  const label = HistoryName.renamed(name, endMs, (candidate) => taken.has(candidate))
  // After about a hundred changes of one name in a day, no label is free. The present history then keeps the name.
  if (label === undefined) return { holder: present, changed: [], renamed: undefined }
  const left = { ...present, renamed: label }
  return { holder, changed: [left, holder], renamed: left }
}

/** Returns the history with the present connection and uid of the cluster. A known uid is never removed. */
const known = (history: KeptHistory, { connection, uid }: SeenCluster): KeptHistory => ({
  ...history,
  connection,
  ...(uid === undefined ? {} : { uid })
})

const isSame = (one: KeptHistory, other: KeptHistory | undefined): boolean =>
  one.key === other?.key && one.uid === other.uid && one.connection === other.connection
