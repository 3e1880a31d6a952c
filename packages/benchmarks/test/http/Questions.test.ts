/** Questions of the bench of HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { keysOf, questionsOf } from "../../src/http/questions.ts"
import { namespaces } from "../../src/load/Objects.ts"

describe("questions for pages", () => {
  it("are all different, with 100 keys", () => {
    const keys = keysOf(["hub", "prod", "stage"], namespaces)
    const questions = questionsOf(keys, namespaces)
    const texts = new Set(questions.map(({ key, path }) => `${key} ${path}`))
    assert.strictEqual(texts.size, questions.length)
    assert.strictEqual(new Set(questions.slice(0, 2_000).map(({ key }) => key)).size, 100)
  })
})
