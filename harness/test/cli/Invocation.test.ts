/** What the command tells people to type. */
import { assert, describe, it } from "@effect/vitest"
import { commandFor } from "../../src/cli/Invocation.ts"
import { shellWord } from "../../src/cli/Print.ts"

describe("the command as it was called", () => {
  for (const [called, entry, managed] of [
    ["harness", "/usr/local/bin/harness", false],
    ["npx harness", "/app/node_modules/.bin/harness", true],
    ["npx harness", "/app/node_modules/@quarterdeck/harness/dist/bin/harness.js", true],
    ["npx @quarterdeck/harness", "/home/ann/.npm/_npx/3f2a/node_modules/.bin/harness", true],
    ["npx @quarterdeck/harness", String.raw`C:\npm\_npx\3f2a\node_modules\harness.js`, true],
    ["npx pnpm@12 harness", "/checkout/harness/src/bin/harness.ts", true],
    ["npx pnpm@12 harness", "/checkout/harness/src/bin/harness.ts", false]
  ] as const) {
    it(`is ${called} for ${entry}`, () => assert.strictEqual(commandFor({ entry, managed }), called))
  }
})

describe("a word for a shell", () => {
  for (const [word, quoted] of [
    ["hub", "hub"],
    ["eu-west/prod:1@x", "eu-west/prod:1@x"],
    ["Hub!", "'Hub!'"],
    ["a;rm", "'a;rm'"],
    ["it's", String.raw`'it'\''s'`],
    ["~", "'~'"],
    ["", "''"]
  ] as const) {
    it(`${word} is ${quoted}`, () => assert.strictEqual(shellWord(word), quoted))
  }
})
