import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, Schema } from "effect"
import { find } from "../../../src/drivers/control-plane/assets/Programs.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { pathsIn } from "../../../src/drivers/control-plane/ControlPlaneFiles.ts"
import * as ControlPlanePrograms from "../../../src/drivers/control-plane/ControlPlanePrograms.ts"
import { connect, type Etcd, OPERATIONS } from "../../../src/drivers/control-plane/EtcdClient.ts"
import { PREFIX, resourceOf, treatmentOf } from "../../../src/drivers/control-plane/EtcdKeys.ts"
import { capture, plan, restore } from "../../../src/drivers/control-plane/EtcdState.ts"
import { temporaryDirectory } from "../../machine/Fixture.ts"

const PLACES = [
  "pods/a",
  "configmaps/a",
  "services/specs/a",
  "services/endpoints/a",
  "events/a",
  "leases/kube-node-lease",
  "leases/kube-system/apiserver-x",
  "masterleases",
  "namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
  "shop.example.com/widgets/a"
] as const

const Entry = Schema.Struct({
  place: Schema.Literals(PLACES),
  name: Schema.Literals(["one", "two", "three", "four"]),
  value: Schema.Literals(["old", "new", "another"])
})
const Store = Schema.Array(Entry)

const storeOf = (entries: typeof Store.Type) =>
  new Map(
    entries.map(({ name, place, value }) => {
      const key = `/registry/${place}/${name}`
      return [
        key,
        { key, value, revision: value === "old" ? "1" : "2", created: value === "another" ? "2" : "1" }
      ] as const
    })
  )

describe("the way back to what a store held", () => {
  it.prop("ends where it began, for everything that is kept", [Store, Store], ([before, after]) => {
    const captured = storeOf(before.map((entry) => ({ ...entry, value: "old" as const })))
    const present = storeOf(after)
    const steps = plan(captured, [...present.values()])
    const store = new Map<string, { readonly created: string; readonly value: string }>(present)
    for (const { key, over, value } of steps.flat(2)) {
      const there = store.get(key)?.created ?? "0"
      if (value === undefined) store.delete(key)
      else if (there === over) store.set(key, { created: there === "0" ? "3" : there, value })
    }
    for (const key of new Set([...captured.keys(), ...present.keys()])) {
      switch (treatmentOf(key)) {
        case "kept":
          assert.strictEqual(store.get(key)?.value, captured.get(key)?.value)
          break
        case "renewed":
          assert.strictEqual(store.has(key), captured.has(key))
          if (captured.has(key)) assert.strictEqual(store.get(key)?.value, present.get(key)?.value ?? "old")
          break
        case "passing":
          assert.strictEqual(store.get(key)?.value, captured.has(key) ? present.get(key)?.value : undefined)
          break
        case "server":
          assert.strictEqual(store.get(key)?.value, present.get(key)?.value)
      }
    }
  })

  it.prop("gives every object of a resource a revision of its own", [Store, Store], ([before, after]) => {
    const steps = plan(storeOf(before), [...storeOf(after).values()])
    for (const round of steps.flat()) {
      assert.isAtMost(round.length, OPERATIONS)
      assert.strictEqual(new Set(round.map(({ key }) => resourceOf(key))).size, round.length)
    }
  })

  it("lets what stands in an object's place go first, in a step of its own, unless it frames others", () => {
    const captured = storeOf(PLACES.map((place) => ({ place, name: "one", value: "old" })))
    const present = storeOf(PLACES.map((place) => ({ place, name: "one", value: "another" })))
    const steps = plan(captured, [...present.values()])
    const at = (key: string, isWrite: boolean) =>
      steps.findIndex((step) => step.flat().some((one) => one.key === key && (one.value !== undefined) === isWrite))
    for (const key of ["pods/a", "shop.example.com/widgets/a"].map((place) => `/registry/${place}/one`)) {
      assert.isAtLeast(at(key, false), 0)
      assert.isAbove(at(key, true), at(key, false))
    }
    assert.strictEqual(at("/registry/namespaces/one", false), -1)
    const changed = storeOf(PLACES.map((place) => ({ place, name: "one", value: "new" })))
    const removals = plan(captured, [...changed.values()])
      .flat(2)
      .filter(({ value }) => value === undefined)
    assert.isEmpty(removals)
  })

  it("writes nothing when nothing has changed", () => {
    const store = storeOf(PLACES.map((place) => ({ place, name: "one", value: "old" })))
    assert.isEmpty(plan(store, [...store.values()]))
  })
})

/** A real etcd, as a control plane runs it, that holds nothing. */
const etcd = Effect.gen(function* () {
  const { path } = yield* Effect.flatMap(find("etcd"), Effect.fromOption)
  const paths = pathsIn(yield* temporaryDirectory)
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(path, ControlPlanePrograms.etcd(paths), { cwd: paths.directory, stdio: "ignore" })),
    (child) =>
      Effect.promise(async () => {
        const ended = once(child, "exit")
        child.kill("SIGKILL")
        await ended
      })
  )
  const client = yield* connect(ControlPlanePrograms.clientSocket(paths))
  yield* eventually(
    "etcd answers",
    Effect.orElseSucceed(Effect.as(client.read(PREFIX), true), () => false),
    (answers) => answers
  )
  return client
})

/** More kinds than one transaction takes, and one object of each. */
const KEYS = Array.from({ length: OPERATIONS + 10 }, (_, index) => `${PREFIX}kind${index}/one`)

const write = (client: Etcd, keys: ReadonlyArray<string>, text: string) =>
  Effect.forEach(keys, (key) => client.commit([{ key, value: Buffer.from(text).toString("base64") }]), {
    concurrency: 16,
    discard: true
  })

const Note = Schema.fromJsonString(Schema.Struct({ metadata: Schema.Struct({ note: Schema.String }) }))
const decodeNote = Schema.decodeUnknownSync(Note)
const noteOf = (value: string) => decodeNote(Buffer.from(value, "base64").toString()).metadata.note

const { run } = await Effect.runPromise(Drivers.selected)

for (const driver of run.filter(({ name }) => name === "control-plane")) {
  describe(`the store of the ${driver.name} driver`, () => {
    it.live("goes back where more kinds have changed, gone and come than one transaction takes", () =>
      Effect.gen(function* () {
        const client = yield* etcd
        yield* write(client, KEYS, "old")
        const before = yield* capture(client)
        const changes: ReadonlyArray<Effect.Effect<void, Effect.Error<ReturnType<Etcd["commit"]>>>> = [
          write(client, KEYS, "new"),
          Effect.forEach(KEYS, (key) => client.commit([{ key }]), { concurrency: 16, discard: true }),
          Effect.forEach(KEYS, (key) => client.commit([{ key }]), { concurrency: 16, discard: true }).pipe(
            Effect.andThen(write(client, KEYS, "another"))
          )
        ]
        let held = before
        for (const change of changes) {
          yield* change
          const { captured } = yield* restore(client, held)
          const after = yield* capture(client)
          assert.deepStrictEqual(after, captured)
          assert.deepStrictEqual(
            [...after].map(([key, { value }]) => [key, value]),
            [...before].map(([key, { value }]) => [key, value])
          )
          held = captured
        }
      })
    )

    it.live("leaves API services to the server that it registers as kinds come and go, and takes others back", () =>
      Effect.gen(function* () {
        const client = yield* etcd
        const services = `${PREFIX}apiregistration.k8s.io/apiservices/`
        const service = (name: string, automanaged?: string, note = "old") => {
          const labels = automanaged === undefined ? {} : { "kube-aggregator.kubernetes.io/automanaged": automanaged }
          return write(client, [`${services}${name}`], JSON.stringify({ metadata: { name, labels, note } }))
        }
        const gone = (name: string) => client.commit([{ key: `${services}${name}` }])
        yield* service("v1.apps", "onstart")
        yield* service("v1.batch", "onstart")
        yield* service("v1.went.example.com", "true")
        yield* service("v1.taken.example.com")
        yield* service("v1.metrics.k8s.io")
        const before = yield* capture(client)
        yield* gone("v1.apps")
        yield* service("v1.batch", undefined, "new")
        yield* gone("v1.went.example.com")
        yield* gone("v1.taken.example.com")
        yield* service("v1.taken.example.com", "true", "new")
        yield* service("v1.metrics.k8s.io", undefined, "new")
        yield* service("v1.came.example.com", "true", "new")
        yield* service("v1.external.example.com", undefined, "new")
        yield* restore(client, before)
        const { entries } = yield* client.read(services)
        assert.deepStrictEqual(
          entries.map(({ key, value }) => [key.slice(services.length), noteOf(value)]),
          [
            ["v1.apps", "old"],
            ["v1.batch", "old"],
            ["v1.came.example.com", "new"],
            ["v1.metrics.k8s.io", "old"],
            ["v1.taken.example.com", "old"]
          ]
        )
      })
    )

    it.live("goes on while somebody takes an object's place now and then", () =>
      Effect.gen(function* () {
        const client = yield* etcd
        const [key = ""] = KEYS
        yield* write(client, [key], "old")
        const before = yield* capture(client)
        let left = 8
        const now = Effect.suspend(() =>
          left-- > 0 ? Effect.andThen(client.commit([{ key }]), write(client, [key], "another")) : Effect.void
        )
        yield* now
        const busy: Etcd = { ...client, commit: (operations) => Effect.andThen(now, client.commit(operations)) }
        const { captured } = yield* restore(busy, before)
        const after = yield* capture(client)
        assert.deepStrictEqual(after, captured)
        assert.strictEqual(after.get(key)?.value, before.get(key)?.value)
      })
    )

    it.live("says whose place somebody takes each time that it is made free", () =>
      Effect.gen(function* () {
        const client = yield* etcd
        const [key = ""] = KEYS
        yield* write(client, [key], "old")
        const before = yield* capture(client)
        const again = Effect.andThen(client.commit([{ key }]), write(client, [key], "another"))
        // Somebody else is there between the look and the write, whenever something is about to be written.
        const interrupted: Etcd = {
          ...client,
          commit: (operations) => Effect.andThen(again, client.commit(operations))
        }
        yield* again
        const { message } = yield* Effect.flip(restore(interrupted, before))
        assert.include(
          message,
          `could not restore the cluster: ${key} is still being recreated by another client after 20 attempts`
        )
      })
    )
  })
}
