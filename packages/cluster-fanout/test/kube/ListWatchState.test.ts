import { assert, describe, it } from "@effect/vitest"
import * as ListWatchState from "../../src/kube/ListWatchState.ts"

const patience: ListWatchState.ListWatchPatience = {
  maxThrottleMs: 60_000,
  maxThrottles: 3,
  usefulMs: 10_000,
  firstBackoffMs: 100,
  maxBackoffMs: 30_000
}
const watching = ListWatchState.reading(ListWatchState.listed(ListWatchState.make<string>(true), "7"), "watch", false)

describe("following a collection", () => {
  it("lists anew after a 410, and waits longer each time", () => {
    const once = ListWatchState.expired(watching)
    assert.deepStrictEqual(once.phase, { _tag: "Begin" })
    const twice = ListWatchState.expired(once)
    assert.isAbove(ListWatchState.backoffCeilingMs(twice, patience), ListWatchState.backoffCeilingMs(once, patience))
  })

  it("resumes where it was after an end, and asks first which version the server has", () => {
    const { phase, resourceVersion } = ListWatchState.ended(watching)
    assert.deepStrictEqual(phase, { _tag: "Resume", checked: false })
    assert.strictEqual(resourceVersion, "7")
  })

  it("forgets that it was mended once the watch brings something", () => {
    const broken = ListWatchState.closed(ListWatchState.broken(watching), 5, patience)
    assert.isTrue(broken.isMended)
    const silent = ListWatchState.received(broken, { events: [], isInitial: false, resourceVersion: "8" })
    assert.isTrue(silent.isMended)
    const events = [{ _tag: "Bookmark", resourceVersion: "9" }] as const
    const brought = ListWatchState.received(broken, { events, isInitial: false, resourceVersion: "9" })
    assert.deepInclude(brought, { isMended: false, futile: 0, resourceVersion: "9" })
  })

  it("has caught up after an outage with the version that the server had when it was asked, not before", () => {
    const begun = ListWatchState.from(ListWatchState.make<string>(true), "7")
    assert.deepStrictEqual(begun.phase, { _tag: "Resume", checked: false })
    const asked = ListWatchState.reading(ListWatchState.checked(begun, "12"), "watch", false)
    const hear = (resourceVersion: string) =>
      ListWatchState.received(asked, { events: [], isInitial: false, resourceVersion }).behind
    assert.deepStrictEqual(hear("11"), { newest: "12" })
    assert.isUndefined(hear("12"))
    assert.isUndefined(hear("100"))
    assert.deepStrictEqual(hear("no number"), { newest: "12" })
    assert.isUndefined(ListWatchState.restarted(asked).behind)
  })

  it("has caught up after an outage in which nothing happened once there is a watch, and asks anew where one has to wait", () => {
    const begun = ListWatchState.from(ListWatchState.make<string>(true), "7")
    const asked = ListWatchState.checked(begun, "7")
    assert.isTrue(ListWatchState.hasReached(asked.behind, asked.resourceVersion))
    assert.isUndefined(ListWatchState.caughtUp(asked).behind)
    const waits = ListWatchState.throttled(asked, 2_000, patience)?.state ?? assert.fail("it was not throttled")
    assert.deepStrictEqual(waits.phase, { _tag: "Resume", checked: false })
    assert.isFalse(ListWatchState.hasReached(begun.behind, "7"))
  })

  it("hears nothing where watches end at once, one after the other; those that end after some seconds are heard", () => {
    const ended = (livedMs: number) => (state: typeof watching) => ListWatchState.closed(state, livedMs, patience)
    const four = [0, 999, 0, 500].map(ended)
    assert.isTrue(ListWatchState.isDeaf(four.reduce((state, end) => end(state), watching)))
    const soon = Array.from({ length: 100 }, () => ended(3_000))
    assert.isFalse(ListWatchState.isDeaf(soon.reduce((state, end) => end(state), watching)))
    const told = ListWatchState.received(
      four.slice(1).reduce((state, end) => end(state), watching),
      {
        events: [{ _tag: "Bookmark", resourceVersion: "9" }],
        isInitial: false,
        resourceVersion: "9"
      }
    )
    assert.isFalse(ListWatchState.isDeaf(ended(0)(told)))
  })

  it("waits as a throttling server asks, some times in a row and not for ever", () => {
    let state = watching
    for (let time = 0; time < patience.maxThrottles; time++) {
      const pause = ListWatchState.throttled(state, 2_000, patience)
      assert.strictEqual(pause?.waitMs, 2_000)
      state = pause?.state ?? assert.fail("it was not throttled")
    }
    assert.isUndefined(ListWatchState.throttled(state, 2_000, patience))
    assert.isDefined(ListWatchState.throttled(ListWatchState.answered(state), 2_000, patience))
    assert.isUndefined(ListWatchState.throttled(watching, patience.maxThrottleMs + 1, patience))
  })

  it("never waits longer than the longest backoff", () => {
    let state = watching
    for (let time = 0; time < 40; time++) state = ListWatchState.closed(state, 0, patience)
    assert.strictEqual(ListWatchState.backoffCeilingMs(state, patience), patience.maxBackoffMs)
    assert.strictEqual(ListWatchState.closed(state, patience.usefulMs, patience).futile, 0)
  })
})
