import { assert, describe, it } from "@effect/vitest"
import { isAskedFor } from "../../../src/http/actions/ActionProgress.ts"

describe("ActionProgress", () => {
  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ["*/*", false],
    ["application/json", false],
    ["text/event-stream", true],
    ["Text/Event-Stream; charset=utf-8", true],
    ["application/json;q=0.5, text/event-stream", true],
    ["application/json, text/event-stream;q=0.5", false],
    ["text/event-stream;q=0", false],
    ["text/event-stream;q=much", false]
  ])("Accept %s asks for events: %s", (accept, isAsked) => assert.strictEqual(isAskedFor(accept), isAsked))
})
