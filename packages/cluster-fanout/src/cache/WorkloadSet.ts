/**
 * Cached workload rows of one cluster, counted by namespace, kind and status.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { KindTable } from "./KindTable.ts"
import type { Records } from "./OwnedPods.ts"
import { RowKeeper } from "./RowKeeper.ts"
import { type RowChange, type RowForm, RowSet, type Sorting } from "./RowSet.ts"
import type { Compare } from "./SortedRows.ts"
import type * as Kind from "../projection/Kind.ts"
import type { RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import * as WorkloadKeys from "../projection/WorkloadKeys.ts"

/** Compares by namespace, kind, name and id. */
export const byPlace: Compare<WorkloadRow> = RowOrder.make<WorkloadRow>(
  RowOrder.text((row) => row.namespace),
  "asc",
  [RowOrder.text((row) => row.kind), RowOrder.text((row) => row.name), RowOrder.text((row) => row.id)]
).compare

/** Grouping and orders of workload rows. */
const FORM: RowForm<WorkloadRow> = {
  groupOf: WorkloadKeys.groupOf,
  byPlace,
  orders: WorkloadKeys.sorting.map(([name, key]) => ({ name, key }))
}

type Tables = { readonly [K in Kind.WorkloadKind]: KindTable<RecordOf[K]> }

/** Makes the row set of a cluster's tables. **Shape** without `sorting`, rows are sorted in the default order only. */
export const make = (cluster: ClusterName, tables: Tables, sorting?: Sorting): RowSet<WorkloadRow> => {
  const { CronJob, DaemonSet, Deployment, Job, Pod, ReplicaSet, StatefulSet } = tables
  const records: Records = {
    get Deployment() {
      return readRecords(Deployment)
    },
    get StatefulSet() {
      return readRecords(StatefulSet)
    },
    get DaemonSet() {
      return readRecords(DaemonSet)
    },
    get ReplicaSet() {
      return readRecords(ReplicaSet)
    },
    get Job() {
      return readRecords(Job)
    },
    get CronJob() {
      return readRecords(CronJob)
    },
    get Pod() {
      return readRecords(Pod)
    }
  }
  const sourceOf = (change: RowChange<WorkloadRow>) => {
    const keeper = new RowKeeper(cluster, () => records, change)
    const observers = keeper.observers()
    Deployment.observe(observers.Deployment)
    StatefulSet.observe(observers.StatefulSet)
    DaemonSet.observe(observers.DaemonSet)
    ReplicaSet.observe(observers.ReplicaSet)
    Job.observe(observers.Job)
    CronJob.observe(observers.CronJob)
    Pod.observe(observers.Pod)
    return keeper
  }
  return new RowSet(FORM, sourceOf, sorting)
}

/** Returns the records of a kind that has synced, else `undefined`. */
const readRecords = <R extends { readonly uid: string }>({ records, sync }: KindTable<R>) =>
  sync._tag === "Synced" ? records : undefined
