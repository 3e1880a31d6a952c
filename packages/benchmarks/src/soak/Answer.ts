/**
 * Answers of the service, and faults that show in an answer alone, without knowing the clusters' contents.
 */
import { Schema } from "effect"

export const Row = Schema.Struct({
  id: Schema.String,
  cluster: Schema.String,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  labels: Schema.Record(Schema.String, Schema.String),
  replicas: Schema.Struct({ desired: Schema.Natural }),
  status: Schema.String,
  createdAt: Schema.String,
  cpuRequestMillis: Schema.Natural
})
export type Row = typeof Row.Type

const Coverage = Schema.Struct({ name: Schema.String, status: Schema.String, count: Schema.Natural })

export const Answer = Schema.Struct({
  workloads: Schema.Array(Row),
  clusters: Schema.Array(Coverage),
  partial: Schema.Boolean,
  nextCursor: Schema.optionalKey(Schema.String)
})
export type Answer = typeof Answer.Type

/** The parameters of a list request. */
export interface Question {
  readonly sort: "name" | "namespace" | "cluster" | "kind" | "status" | "createdAt" | "cpuRequestMillis"
  readonly order: "asc" | "desc"
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly isLive: boolean
}

const compare = (one: string | number, other: string | number): number => {
  if (one === other) return 0
  if (typeof one === "number" && typeof other === "number") return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

const TIES = ["cluster", "namespace", "kind", "name", "id"] as const

/** Compares rows as docs/reference/http.md defines: by the sort key in the given order, ties ascending. */
const compareRows = ({ order, sort }: Question, one: Row, other: Row): number => {
  const first = compare(one[sort], other[sort]) * (order === "asc" ? 1 : -1)
  return first !== 0 ? first : (TIES.map((key) => compare(one[key], other[key])).find((each) => each !== 0) ?? 0)
}

const isAsked = ({ name, namespace }: Question, row: Row): boolean =>
  (namespace === undefined || row.namespace === namespace) && (name === undefined || row.name.includes(name))

/** Groups rows by cluster and keeps their order. */
export const byCluster = (rows: ReadonlyArray<Row>): ReadonlyMap<string, ReadonlyArray<Row>> =>
  Map.groupBy(rows, ({ cluster }) => cluster)

/** Lists the faults of a complete answer. **Shape** `asked` has the names of the queried clusters, in order. */
export const faultsOf = (
  question: Question,
  { clusters, nextCursor, partial, workloads }: Answer,
  asked: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const covered = clusters.map(({ name }) => name)
  if (covered.join() !== asked.join()) faults.push(`coverage of ${covered.join()} where ${asked.join()} were asked`)
  const isMissing = clusters.some((each) => !isAnswered(each))
  if (partial !== isMissing) faults.push(`partial is ${partial} with ${clusters.map(({ status }) => status).join()}`)
  if (nextCursor !== undefined) faults.push("a next page where all was asked for")
  const rowsOf = byCluster(workloads)
  for (const { count, name } of clusters) {
    const rows = rowsOf.get(name)?.length ?? 0
    if (rows !== count) faults.push(`${name} counts ${count} and has ${rows}`)
  }
  for (const [place, row] of workloads.entries()) {
    const before = workloads[place - 1]
    if (before !== undefined && compareRows(question, before, row) >= 0) {
      faults.push(`${before.cluster}/${before.name} before ${row.cluster}/${row.name}`)
    }
    if (!isAsked(question, row)) faults.push(`${row.cluster}/${row.namespace}/${row.name} was not asked for`)
    if (row.labels["value"] !== String(row.replicas.desired)) faults.push(`${row.cluster}/${row.name} is torn`)
  }
  return faults
}

/** Returns true if the answer contains the cluster's rows. */
export const isAnswered = ({ status }: { readonly status: string }): boolean => status === "ok" || status === "stale"
