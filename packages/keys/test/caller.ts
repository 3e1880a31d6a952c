/** Callers for tests. */
import type { Principal } from "../src/Principal.ts"
import type { Rule } from "../src/Rule.ts"

export const callerWith = (rule: Rule, keyId = "key_caller"): Principal["Service"] => ({
  keyId,
  name: "caller",
  rule,
  source: "created"
})
