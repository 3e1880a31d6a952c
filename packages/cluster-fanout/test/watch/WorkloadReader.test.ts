import { assert, describe, it } from "@effect/vitest"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { Schema } from "effect"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as Projection from "../../src/projection/Projection.ts"
import type { WorkloadRow } from "../../src/projection/Row.ts"
import { ChangeLog } from "../../src/watch/ChangeLog.ts"
import type { WatchEvent } from "../../src/watch/WatchEvent.ts"
import { WorkloadReader } from "../../src/watch/WorkloadReader.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { namespace } from "../fixture/KubeObjects.ts"

const CLUSTER = ClusterName.ClusterName.make("prod")
/** One namespace is in reach by its name, another while it carries a label. */
const FILTER = NamespaceFilter.anyOf([
  { namespaceNames: ["named"] },
  { namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }
])
const NAMESPACES = ["named", "labelled"] as const

const rowOf = (which: number, place: string, size: number): WorkloadRow => ({
  id: `u-${place}-${which}`,
  cluster: CLUSTER,
  namespace: place,
  kind: "Deployment",
  name: `d-${which}`,
  labels: {},
  images: [],
  replicas: { desired: size, ready: size, updated: size, available: size },
  status: "healthy",
  cpuRequestMillis: 0,
  memoryRequestBytes: 0,
  cpuLimitMillis: 0,
  memoryLimitBytes: 0,
  createdAt: "2026-01-01T00:00:00Z"
})

function* oneByOne<A>(all: Iterable<A>): Generator<A, undefined> {
  yield* all
}

/** A cluster whose rows and labels change, and one reader after the other of them, each cut before it has heard all. */
class World {
  readonly #log = new ChangeLog<WorkloadRow>("log")
  readonly #rows = new Map<string, WorkloadRow>()
  readonly #store = new ClusterStore(clusterOf("prod"))
  readonly #place = { cluster: CLUSTER, interner: Interner.make() }
  #team = ""
  #reader: WorkloadReader
  #waiting: Array<Iterator<WatchEvent<WorkloadRow>, undefined>> = []
  #lastId: string | undefined
  readonly client = new Map<string, WorkloadRow>()
  resets = 0

  constructor() {
    this.label("b")
    this.#reader = this.#open()
  }

  #open(): WorkloadReader {
    const coverage = { name: CLUSTER, status: "ok", source: "cache", count: 0, ageMs: 0, latencyMs: 0 } as const
    const feed = {
      log: this.#log,
      names: [CLUSTER],
      has: () => true,
      reported: () => [...this.#rows.values()],
      storeOf: () => this.#store,
      standingOf: () => ({ coverage, state: "ok", isComplete: true })
    }
    const push = (events: Iterable<WatchEvent<WorkloadRow>>) => void this.#waiting.push(oneByOne(events))
    const sink = {
      push,
      pushLater: push,
      pushMany: push,
      broken: (defect: unknown) => assert.fail(String(defect))
    }
    const query = {
      binding: "key",
      namespaces: FILTER,
      filter: { labelSelector: [] },
      target: { mode: "All", clusters: [CLUSTER] } as const,
      clusters: Target.everyCluster,
      timeoutMs: 1_000,
      lastEventId: this.#lastId
    }
    const reader = new WorkloadReader(feed, query, sink, 0)
    reader.begin(0)
    return reader
  }

  #change(previous: WorkloadRow | undefined, next: WorkloadRow | undefined): void {
    if (previous === undefined && next === undefined) return
    this.#reader.refresh(0)
    if (next === undefined) this.#rows.delete(previous?.id ?? "")
    else this.#rows.set(next.id, next)
    this.#reader.take(this.#log.append([{ previous, next }]))
  }

  put(row: WorkloadRow): void {
    this.#change(this.#rows.get(row.id), row)
  }

  remove(id: string): void {
    this.#change(this.#rows.get(id), undefined)
  }

  label(team: string): void {
    this.#team = team
    const objects = [namespace("named"), namespace("labelled", { team })]
    const puts = objects.map((object) => ({
      _tag: "Put" as const,
      record: Projection.project("Namespace", object, this.#place)
    }))
    this.#store.apply("Namespace", [{ _tag: "Restart" }, ...puts, { _tag: "Synced" }], 0)
  }

  survey(): void {
    this.#reader.survey(0)
  }

  /** The reader hears so many events. */
  hear(count: number): void {
    for (let heard = 0; heard < count; heard++) {
      const event = this.#next()
      if (event === undefined) return
      if ("id" in event) this.#lastId = event.id
      if (event._tag === "Row") this.client.set(event.row.id, event.row)
      if (event._tag === "Gone") this.client.delete(event.row.id)
      if (event._tag === "Reset") {
        this.resets++
        this.client.clear()
      }
    }
  }

  #next(): WatchEvent<WorkloadRow> | undefined {
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined) return undefined
      const { done, value } = first.next()
      if (done !== true) return value
      this.#waiting.shift()
    }
  }

  /** The connection breaks, and the reader comes back with what it heard last. */
  cut(): void {
    this.#waiting = []
    this.#reader = this.#open()
  }

  get visible(): ReadonlyMap<string, WorkloadRow> {
    return new Map([...this.#rows].filter(([, row]) => row.namespace === "named" || this.#team === "a"))
  }
}

const Step = Schema.Union([
  Schema.Struct({
    does: Schema.Literal("put"),
    which: Schema.Literals([0, 1, 2, 3]),
    place: Schema.Literals(NAMESPACES),
    size: Schema.Literals([0, 1, 2])
  }),
  Schema.Struct({
    does: Schema.Literal("remove"),
    which: Schema.Literals([0, 1, 2, 3]),
    place: Schema.Literals(NAMESPACES)
  }),
  Schema.Struct({ does: Schema.Literal("label"), team: Schema.Literals(["a", "b"]), isTold: Schema.Boolean }),
  Schema.Struct({ does: Schema.Literal("hear"), count: Schema.Literals([1, 2, 3, 100]) }),
  Schema.Struct({ does: Schema.Literals(["cut", "survey"]) })
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(10), Schema.isMaxLength(30))

describe("WorkloadReader", () => {
  it.prop(
    "ends with what its key may see, wherever it was cut and came back",
    [Steps],
    ([steps]) => {
      const world = new World()
      for (const which of [0, 1, 2, 3]) for (const place of NAMESPACES) world.put(rowOf(which, place, 0))
      for (const step of steps) {
        switch (step.does) {
          case "put":
            world.put(rowOf(step.which, step.place, step.size))
            break
          case "remove":
            world.remove(`u-${step.place}-${step.which}`)
            break
          case "label":
            world.label(step.team)
            if (step.isTold) world.survey()
            break
          case "hear":
            world.hear(step.count)
            break
          case "cut":
            world.cut()
            break
          case "survey":
            world.survey()
        }
      }
      world.survey()
      world.hear(Number.POSITIVE_INFINITY)
      assert.deepStrictEqual(new Map(world.client), world.visible)
    },
    { arbitrary: { runs: 2_000 } }
  )

  it("who is cut within the rows of a namespace that came into reach begins anew", () => {
    const world = new World()
    for (const which of [0, 1, 2, 3]) world.put(rowOf(which, "labelled", 1))
    world.survey()
    world.hear(100)
    world.label("a")
    world.survey()
    world.hear(2)
    assert.strictEqual(world.client.size, 2)
    world.cut()
    world.hear(100)
    assert.deepStrictEqual([world.client.size, world.resets], [4, 1])
  })

  it("who has heard of all of them goes on", () => {
    const world = new World()
    for (const which of [0, 1]) world.put(rowOf(which, "labelled", 1))
    world.survey()
    world.label("a")
    world.survey()
    world.hear(100)
    world.cut()
    world.put(rowOf(2, "labelled", 1))
    world.hear(100)
    assert.deepStrictEqual([world.client.size, world.resets], [3, 0])
  })
})
