import { assert, describe, it } from "@effect/vitest"
import { isLoopback } from "../../src/limits/Loopback.ts"

describe("loopback", () => {
  for (const host of ["127.0.0.1", "127.255.0.9", "::1", "[::1]", "localhost", "LOCALHOST", "::ffff:127.0.0.1"]) {
    it(`is ${host}`, () => assert.isTrue(isLoopback(host)))
  }

  for (const host of ["0.0.0.0", "::", "128.0.0.1", "[::2]", "127.0.0.1.example.com", "localhost.example.com", ""]) {
    it(`is not "${host}"`, () => assert.isFalse(isLoopback(host)))
  }
})
