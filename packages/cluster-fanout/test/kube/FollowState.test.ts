import { assert, describe, it } from "@effect/vitest"
import * as FollowState from "../../src/kube/FollowState.ts"

const patience: FollowState.FollowPatience = {
  ...{ maxThrottleMs: 60_000, maxThrottles: 3 },
  ...{ usefulMs: 10_000, firstBackoffMs: 100, maxBackoffMs: 30_000 }
}
const watching = FollowState.reading(FollowState.listed(FollowState.make<string>(true), "7"), "watch", false)

describe("following a collection", () => {
  it("lists anew after a 410, and waits longer each time", () => {
    const once = FollowState.expired(watching)
    assert.deepStrictEqual(once.phase, { _tag: "Begin" })
    const twice = FollowState.expired(once)
    assert.isAbove(FollowState.backoffCeilingMs(twice, patience), FollowState.backoffCeilingMs(once, patience))
  })

  it("resumes where it was after an end, and asks first which version the server has", () => {
    const { phase, resourceVersion } = FollowState.ended(watching)
    assert.deepStrictEqual(phase, { _tag: "Resume", checked: false })
    assert.strictEqual(resourceVersion, "7")
  })

  it("forgets that it was mended once the watch brings something", () => {
    const broken = FollowState.closed(FollowState.broken(watching), 5, patience)
    assert.isTrue(broken.isMended)
    const silent = FollowState.received(broken, { events: [], isInitial: false, resourceVersion: "8" })
    assert.isTrue(silent.isMended)
    const events = [{ _tag: "Bookmark", resourceVersion: "9" }] as const
    const brought = FollowState.received(broken, { events, isInitial: false, resourceVersion: "9" })
    assert.deepInclude(brought, { isMended: false, futile: 0, resourceVersion: "9" })
  })

  it("waits as a throttling server asks, some times in a row and not for ever", () => {
    let state = watching
    for (let time = 0; time < patience.maxThrottles; time++) {
      const pause = FollowState.throttled(state, 2_000, patience)
      assert.strictEqual(pause?.waitMs, 2_000)
      state = pause?.state ?? assert.fail("it was not throttled")
    }
    assert.isUndefined(FollowState.throttled(state, 2_000, patience))
    assert.isDefined(FollowState.throttled(FollowState.answered(state), 2_000, patience))
    assert.isUndefined(FollowState.throttled(watching, patience.maxThrottleMs + 1, patience))
  })

  it("never waits longer than the longest backoff", () => {
    let state = watching
    for (let time = 0; time < 40; time++) state = FollowState.closed(state, 0, patience)
    assert.strictEqual(FollowState.backoffCeilingMs(state, patience), patience.maxBackoffMs)
    assert.strictEqual(FollowState.closed(state, patience.usefulMs, patience).futile, 0)
  })
})
