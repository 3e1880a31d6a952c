import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { parseJson, toEvent, toPage } from "../../src/kube/KubeObjectJson.ts"
import * as KubeShapes from "../../src/kube/KubeShapes.ts"
import type { Shape } from "../../src/kube/ProtobufShape.ts"
import * as wireForm from "../../src/kube/WireForm.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { deployment, object, pod } from "../fixture/KubeObjects.ts"
import * as write from "../fixture/ProtobufWriter.ts"

const KINDS = ["Pod", "ReplicaSet", "Deployment"] as const
type Followed = (typeof KINDS)[number]

/** What UTF-8 can write. */
const AnyText = Schema.String.check(Schema.makeFilter((text) => text.isWellFormed()))
const Text = Schema.Union([AnyText.check(Schema.isNonEmpty()), Schema.Literals(["é", "日本", "\ufffd", "a\u0000b"])])
const Time = Schema.Literals([
  "0000-01-01T00:00:00Z",
  "1969-12-31T23:59:59Z",
  "1970-01-01T00:00:00Z",
  "2026-11-24T05:00:00Z"
])
const Count = Schema.Literals([1, 127, 128, 300, 2 ** 31 - 1])
const Whole = Schema.Literals([0, 1, 137, -1, -1_073_741_510, 2 ** 31 - 1])
/** Absent, or not. */
const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)
/** As lists and maps are that JSON leaves out when they are empty. */
const filled = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.NonEmptyArray(schema).check(Schema.isMaxLength(3)))
const Key = Schema.Literals(["cpu", "memory", "nvidia.com/gpu", "a/b", "é"])
const Map = Schema.Record(Key, Text).check(Schema.makeFilter((map) => Object.keys(map).length > 0))

const Metadata = Schema.Struct({
  name: Text,
  uid: Text,
  resourceVersion: Text,
  namespace: maybe(Text),
  generation: maybe(Count),
  creationTimestamp: maybe(Time),
  deletionTimestamp: maybe(Time),
  labels: maybe(Map),
  ownerReferences: filled(
    Schema.Struct({
      apiVersion: AnyText,
      kind: AnyText,
      name: AnyText,
      uid: AnyText,
      controller: maybe(Schema.Boolean)
    })
  )
})
const Resources = Schema.Struct({ limits: maybe(Map), requests: maybe(Map) })
const Container = Schema.Struct({
  name: AnyText,
  image: maybe(Text),
  resources: maybe(Resources),
  restartPolicy: maybe(Text)
})
const PodSpec = Schema.Struct({
  volumes: filled(
    Schema.Struct({
      name: Text,
      persistentVolumeClaim: maybe(Schema.Struct({ claimName: Text })),
      ephemeral: maybe(Schema.Struct({}))
    })
  ),
  containers: filled(Container),
  initContainers: filled(Container),
  nodeName: maybe(Text),
  overhead: maybe(Map),
  resources: maybe(Resources)
})
const State = Schema.Struct({
  waiting: maybe(Schema.Struct({ reason: maybe(Text), message: maybe(Text) })),
  running: maybe(Schema.Struct({ startedAt: maybe(Time) })),
  terminated: maybe(
    Schema.Struct({
      exitCode: Whole,
      signal: maybe(Count),
      reason: maybe(Text),
      message: maybe(Text),
      startedAt: maybe(Time),
      finishedAt: maybe(Time)
    })
  )
})
const ContainerStatus = Schema.Struct({
  name: Text,
  state: State,
  lastState: State,
  ready: Schema.Boolean,
  restartCount: Whole,
  started: maybe(Schema.Boolean),
  allocatedResources: maybe(Map),
  resources: maybe(Resources)
})
const Conditions = filled(
  Schema.Struct({ type: Text, status: Text, reason: maybe(Text), lastTransitionTime: maybe(Time) })
)
const Template = Schema.Struct({ spec: PodSpec })
const counts = { observedGeneration: maybe(Count), readyReplicas: maybe(Count), availableReplicas: maybe(Count) }

const SCHEMAS = {
  Pod: Schema.Struct({
    metadata: Metadata,
    spec: PodSpec,
    status: Schema.Struct({
      phase: maybe(Text),
      conditions: Conditions,
      reason: maybe(Text),
      startTime: maybe(Time),
      containerStatuses: filled(ContainerStatus),
      initContainerStatuses: filled(ContainerStatus),
      allocatedResources: maybe(Map),
      resources: maybe(Resources)
    })
  }),
  ReplicaSet: Schema.Struct({
    metadata: Metadata,
    spec: Schema.Struct({ replicas: maybe(Whole), template: Template }),
    status: Schema.Struct({ ...counts, replicas: Whole, conditions: Conditions })
  }),
  Deployment: Schema.Struct({
    metadata: Metadata,
    spec: Schema.Struct({ replicas: maybe(Whole), template: Template, paused: maybe(Schema.Literal(true)) }),
    status: Schema.Struct({
      ...counts,
      replicas: maybe(Count),
      updatedReplicas: maybe(Count),
      conditions: Conditions
    })
  })
}

const shapeOf = (kind: Followed): Shape => {
  const shape = KubeShapes.find(Kind.resources[kind])
  assert.isDefined(shape)
  return shape
}
const protobuf = (kind: Followed) =>
  wireForm.of("application/vnd.kubernetes.protobuf;stream=watch", Kind.resources[kind])
const versionOf = (kind: Followed) => KubeShapes.apiVersion(Kind.resources[kind])

const pageOf = (kind: Followed, items: ReadonlyArray<unknown>, continueToken = ""): Buffer =>
  write.envelope(
    versionOf(kind),
    `${kind}List`,
    write.list(
      { resourceVersion: "5", continueToken },
      items.map((item) => write.message(shapeOf(kind), item))
    )
  )

const readPage = (kind: Followed, body: Buffer) => {
  const reading = protobuf(kind).readPage(body)
  while (reading.step());
  return reading.page()
}

const eventOf = (kind: Followed, type: string, item: unknown): Buffer =>
  write.event(type, write.envelope(versionOf(kind), kind, write.message(shapeOf(kind), item)))

/** What the same text as JSON gives. */
const asJson = (value: unknown): unknown => Result.getOrThrow(parseJson(Buffer.from(JSON.stringify(value))))

const one = pod("p", { spec: { initContainers: [{ name: "é", image: "init:1" }] }, labels: { app: "web" } })

describe("KubeObjectProtobuf", () => {
  for (const kind of KINDS) {
    const Items = Schema.Array(SCHEMAS[kind]).check(Schema.isMaxLength(4))

    it.prop(`a list of ${kind}s is read as the same list of JSON is`, [Items, AnyText], ([items, token]) => {
      const metadata = { resourceVersion: "5", continue: token }
      assert.deepStrictEqual(readPage(kind, pageOf(kind, items, token)), toPage(asJson({ metadata, items })))
    })

    it.prop(`so is an event of a ${kind}`, [SCHEMAS[kind]], ([item]) => {
      for (const type of ["ADDED", "MODIFIED", "DELETED", "NEWER"]) {
        assert.deepStrictEqual(
          protobuf(kind).readEvent(eventOf(kind, type, item)),
          toEvent(asJson({ type, object: item }))
        )
      }
    })
  }

  it("bookmarks and errors are read as in JSON", () => {
    const ends = { "k8s.io/initial-events-end": "true" }
    for (const annotations of [{}, ends]) {
      const metadata = { resourceVersion: "7", ...(annotations === ends && { annotations }) }
      const raw = write.message(KubeShapes.BOOKMARK, { metadata })
      assert.deepStrictEqual(
        protobuf("Pod").readEvent(write.event("BOOKMARK", write.envelope("v1", "Pod", raw))),
        toEvent({ type: "BOOKMARK", object: { metadata } })
      )
    }
    const status = {
      status: "Failure",
      message: "too old",
      reason: "Expired",
      details: { retryAfterSeconds: 2 },
      code: 410
    }
    const raw = write.message(KubeShapes.STATUS, status)
    assert.deepStrictEqual(
      protobuf("Pod").readEvent(write.event("ERROR", write.envelope("v1", "Status", raw))),
      toEvent({ type: "ERROR", object: { kind: "Status", ...status } })
    )
  })

  it("a page that was cut at any byte is refused, and so is an event", () => {
    const raw = write.list({ resourceVersion: "5", continueToken: "" }, [write.message(shapeOf("Pod"), one)])
    const page = write.envelope("v1", "PodList", raw)
    // Behind the list stand two empty fields of the envelope.
    for (let end = 0; end < page.length - 4; end++) {
      assert.isTrue(Result.isFailure(readPage("Pod", page.subarray(0, end))), String(end))
    }
    const event = eventOf("Pod", "ADDED", one)
    for (let end = 0; end < event.length; end++) {
      assert.isTrue(Result.isFailure(protobuf("Pod").readEvent(event.subarray(0, end))), String(end))
    }
  })

  it.prop(
    "bytes that were changed are refused or read, and never break the reader",
    [Schema.Natural, Schema.Natural],
    (given) => {
      const [at, byte] = given
      const page = Buffer.from(pageOf("Pod", [one, one]))
      page[at % page.length] = byte % 256
      const read = readPage("Pod", page)
      if (Result.isFailure(read)) assert.match(read.failure, /^the answer is not /)
      else assert.isAtMost(read.success.items.length, 2)
    }
  )

  it("each problem has its words", () => {
    const broken = (raw: ReadonlyArray<number>) => write.envelope("v1", "PodList", Buffer.from(raw))
    const problems: ReadonlyArray<readonly [body: Buffer, problem: string]> = [
      [Buffer.from('{"kind":"PodList"}'), "the answer is not Kubernetes protobuf"],
      [pageOf("Deployment", []), "the answer is not a list of pods"],
      [write.envelope("v2", "PodList", Buffer.alloc(0)), "the answer is not a list of pods"],
      [broken([0x02, 0x00]), "the answer is not protobuf: a field has no number"],
      [broken([0x0b]), "the answer is not protobuf: a field has an unexpected type"],
      [broken([0x1b]), "the answer is not protobuf: a field has no end"],
      [broken([0x12, 0x05, 0x00]), "the answer is not protobuf: a field is longer than its message"],
      [broken([0x18, ...Array<number>(11).fill(0xff)]), "the answer is not protobuf: a number has no end"],
      [broken([0x0a, 0x03, 0x12, 0x01, 0xff]), "the answer is not protobuf: a text is not UTF-8"],
      [broken([0x12, 0x04, 0x0a, 0x00, 0x0a, 0x00]), "the answer is not protobuf: a field occurs twice"],
      [broken([0x12, 0x00]), "the answer is not a Kubernetes object"]
    ]
    for (const [body, problem] of problems) {
      const read = readPage("Pod", body)
      assert.strictEqual(Result.isFailure(read) ? read.failure : "", problem)
    }
    const late = pod("p", { createdAt: "+010000-01-01T00:00:00Z" })
    assert.deepStrictEqual(
      readPage("Pod", pageOf("Pod", [late])),
      Result.fail("the answer is not protobuf: a time is outside the years 0 to 9999")
    )
    assert.deepStrictEqual(
      protobuf("Pod").readEvent(eventOf("Deployment", "ADDED", deployment("d"))),
      Result.fail("an event of the watch is not of pods")
    )
  })

  it("other kinds, and what a server answers as JSON, are read as JSON", () => {
    assert.isUndefined(wireForm.accept(Kind.resources.Node))
    for (const [type, kind] of [
      ["application/json", "Pod"],
      ["", "Pod"],
      ["application/vnd.kubernetes.protobuf", "Node"]
    ] as const) {
      const reading = wireForm
        .of(type, Kind.resources[kind])
        .readPage(Buffer.from(JSON.stringify({ metadata: { resourceVersion: "5" }, items: [object(kind, "x")] })))
      while (reading.step());
      assert.strictEqual(Result.getOrThrow(reading.page()).items[0]?.metadata.name, "x")
    }
  })
})
