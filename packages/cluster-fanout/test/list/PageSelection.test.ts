import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as WorkloadOrders from "../../src/list/WorkloadOrders.ts"
import { Order, WorkloadSort } from "../../src/list/ListQuery.ts"
import { PageHead } from "../../src/list/PageHead.ts"
import * as PageMerge from "../../src/list/PageMerge.ts"
import * as PageSelection from "../../src/list/PageSelection.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as StatusCounts from "../../src/list/StatusCounts.ts"
import * as WorkloadFilter from "../../src/list/WorkloadFilter.ts"
import { type WorkloadRow, WorkloadStatus } from "../../src/projection/Row.ts"
import * as Projection from "../../src/projection/Projection.ts"
import type { Sorting } from "../../src/cache/RowSet.ts"
import { atOnce } from "../fixture/ChangingCluster.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { object } from "../fixture/KubeObjects.ts"

const NAMESPACES = ["a", "b", "c", "d"] as const
const KINDS = ["Deployment", "StatefulSet"] as const

// Most have one team, so that another is worth to be looked up.
const TEAM = Schema.Literals(["one", "two", "none"])

const Described = Schema.Struct({
  namespace: Schema.Literals(NAMESPACES),
  kind: Schema.Literals(KINDS),
  name: Schema.Literals(["web", "api", "web-2", "x"]),
  size: Schema.Literals([0, 1, 2]),
  team: Schema.Literals(["one", "one", "one", "two"]),
  isPaused: Schema.Boolean
})
const Rows = Schema.Array(Described).check(Schema.isMaxLength(60))

const Question = Schema.Struct({
  sort: WorkloadSort,
  order: Order,
  size: Schema.Literals([1, 2, 5, 50, 1_000]),
  namespaces: Schema.UndefinedOr(Schema.Array(Schema.Literals(NAMESPACES))),
  kinds: Schema.UndefinedOr(Schema.Array(Schema.Literals(KINDS))),
  statuses: Schema.UndefinedOr(Schema.Array(WorkloadStatus)),
  name: Schema.UndefinedOr(Schema.Literals(["web", "2"])),
  teams: Schema.UndefinedOr(Schema.Array(TEAM)),
  isSorted: Schema.Boolean
})

const place = { cluster: ClusterName.make("c1"), interner: Interner.make() }

const storeOf = (described: ReadonlyArray<typeof Described.Type>, sorting: Sorting | undefined): ClusterStore => {
  const store = new ClusterStore(clusterOf("c1"), sorting)
  for (const kind of KINDS) {
    const puts = described.flatMap(({ isPaused, kind: own, name, namespace, size, team }, index) => {
      if (own !== kind) return []
      const containers = [{ name: "main", resources: { requests: { cpu: `${size}`, memory: `${size}Gi` } } }]
      const found = object(kind, name, {
        namespace,
        uid: `${index}`,
        labels: { team },
        createdAt: `2026-01-0${size + 1}T00:00:00Z`,
        spec: { replicas: 1, paused: isPaused, template: { spec: { containers } } },
        status: { availableReplicas: size, readyReplicas: size, updatedReplicas: size, replicas: size }
      })
      return [{ _tag: "Put" as const, record: Projection.project(kind, found, place) }]
    })
    store.apply(kind, [...puts, { _tag: "Synced" }], 0)
  }
  return store
}

describe("PageSelection", () => {
  it.prop(
    "picks what filtering and sorting everything would, from any place on",
    [Rows, Question, Schema.Natural],
    ([described, question, from]) => {
      const rows = storeOf(described, question.isSorted ? atOnce : undefined)
      const { kinds, name, namespaces, order, size, sort, statuses, teams } = question
      const direction = WorkloadOrders.ofPage({ sort, order, limit: size, consistency: "cache", timeoutMs: 1 })
      const all = rows.workloads().toSorted(direction.compare)
      const last = all.length === 0 ? undefined : all[from % (all.length + 1)]
      const after = last === undefined ? undefined : direction.position(last)

      const asked = namespaces === undefined ? undefined : new Set<string>(namespaces)
      const isOf = ({ labels }: WorkloadRow) => teams === undefined || teams.some((team) => team === labels["team"])
      const filter = { ...(kinds && { kind: kinds }), ...(statuses && { status: statuses }) }
      const wanted: PageSelection.Wanted<WorkloadRow> = {
        groups: WorkloadFilter.wanted(filter, undefined).groups,
        reaches: asked === undefined ? undefined : (namespace) => asked.has(namespace),
        label: teams === undefined ? undefined : { key: "team", values: teams },
        matches:
          name === undefined && teams === undefined
            ? undefined
            : (row) => (name === undefined || row.name.includes(name)) && isOf(row)
      }
      const picked = PageSelection.select(rows.rows, wanted, {
        order: direction,
        ascending: WorkloadOrders.ascending(sort),
        after,
        size,
        last: () => undefined
      })

      const whatever = all.filter(
        (row) =>
          (asked === undefined || asked.has(row.namespace))
          && (kinds === undefined || kinds.some((kind) => kind === row.kind))
          && (name === undefined || row.name.includes(name))
          && isOf(row)
      )
      const matching = whatever.filter(({ status }) => statuses === undefined || statuses.includes(status))
      const counts = StatusCounts.fromTally(PageSelection.tally(rows.rows, wanted), kinds)
      for (const status of WorkloadStatus.literals) {
        assert.strictEqual(counts[status], whatever.filter((row) => row.status === status).length)
      }
      assert.strictEqual(picked.count, matching.length)
      assert.deepStrictEqual(
        [...picked.run].slice(0, size),
        matching.filter((row) => after === undefined || direction.compareTo(row, after) > 0).slice(0, size)
      )
    }
  )

  it.prop(
    "gives the page of clusters that answer at once and of those that come later, whose orders are kept or not",
    [Schema.Array(Rows).check(Schema.isMaxLength(6)), Question],
    ([clusters, question]) => {
      const { order, size, sort } = question
      const stores = clusters.map((described, index) => storeOf(described, index % 2 === 0 ? atOnce : undefined))
      const direction = WorkloadOrders.ofPage({ sort, order, limit: size, consistency: "cache", timeoutMs: 1 })
      const head = new PageHead(direction, size)
      const part: PageSelection.Part<WorkloadRow> = {
        order: direction,
        ascending: WorkloadOrders.ascending(sort),
        after: undefined,
        size,
        last: () => head.last()
      }
      const late = stores.flatMap(({ rows }, index) => {
        const { run } = PageSelection.select(rows, {}, part)
        if (index % 3 === 2) return [[...run].slice(0, size)]
        head.add(run)
        return []
      })
      const all = stores.flatMap((store) => store.workloads()).toSorted(direction.compare)
      const positions = PageMerge.merge([head.rows(), ...late], direction, size).items.map(direction.position)
      assert.deepStrictEqual(positions, all.slice(0, size).map(direction.position))
    }
  )
})
