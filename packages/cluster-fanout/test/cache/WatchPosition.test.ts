import { assert, describe, it } from "@effect/vitest"
import { WatchPosition } from "../../src/cache/WatchPosition.ts"
import type { WatchEvent } from "../../src/kube/KubeObject.ts"

const put = (resourceVersion: string): WatchEvent => ({
  _tag: "Put",
  object: { metadata: { name: "a", uid: "a", resourceVersion } }
})
const gone = (resourceVersion: string): WatchEvent => ({
  _tag: "Delete",
  object: { metadata: { name: "a", uid: "a", resourceVersion } }
})
const synced: WatchEvent = { _tag: "Synced", resourceVersion: "5" }

/** Where a watch could go on that told this and was lost. */
const from = (...events: ReadonlyArray<WatchEvent>) => {
  const position = new WatchPosition()
  position.applied(events)
  position.lost(0)
  return position.from(10, 60)
}

describe("WatchPosition", () => {
  it("is that of the last thing heard, once the state is whole", () => {
    assert.isUndefined(from())
    assert.isUndefined(from(put("1"), gone("2"), { _tag: "Bookmark", resourceVersion: "3" }))
    assert.strictEqual(from(put("1"), synced), "5")
    assert.strictEqual(from(synced, put("6"), gone("7")), "7")
    assert.strictEqual(from(synced, { _tag: "Bookmark", resourceVersion: "8" }), "8")
    assert.isUndefined(from(synced, { _tag: "Restart" }, put("9")))
  })

  it("holds for some time after the first loss, until the watch has caught up", () => {
    const position = new WatchPosition()
    position.applied([synced])
    assert.isUndefined(position.from(0, 60), "it is not lost")
    position.lost(100)
    position.applied([put("6")])
    position.lost(150)
    assert.strictEqual(position.from(160, 60), "6")
    assert.isUndefined(position.from(161, 60))
    position.applied([{ _tag: "Resumed" }])
    position.lost(200)
    assert.strictEqual(position.from(260, 60), "6")
    position.forget()
    position.lost(200)
    assert.isUndefined(position.from(200, 60))
  })
})
