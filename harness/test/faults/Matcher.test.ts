import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ApiCall from "../../src/faults/ApiCall.ts"
import { makeSelection, type Matcher, matches } from "../../src/faults/Matcher.ts"

const call = (method: string, url: string, userAgent = "kubectl/v1.36") =>
  ApiCall.from({ method, url, headers: { "user-agent": userAgent } })

const LIST_PODS = call("GET", "/api/v1/namespaces/shop/pods?limit=500")
const WATCH_ALL = call("GET", "/apis/apps/v1/deployments?watch=true")
const LOG = call("GET", "/api/v1/namespaces/shop/pods/web-1/log")
const SCALE = call("PUT", "/apis/apps/v1/namespaces/shop/deployments/web/scale")
const VERSION = call("GET", "/version")

describe("a matcher", () => {
  const says = (
    name: string,
    matcher: Matcher,
    yes: ReadonlyArray<ApiCall.ApiCall>,
    no: ReadonlyArray<ApiCall.ApiCall>
  ) =>
    it(`that ${name}`, () => {
      for (const one of yes) assert.isTrue(matches(matcher, one), `${one.path} should match`)
      for (const one of no) assert.isFalse(matches(matcher, one), `${one.path} should not match`)
    })

  says("has no parts is every request", {}, [LIST_PODS, WATCH_ALL, LOG, SCALE, VERSION], [])
  says("tells verbs", { verbs: ["list", "update"] }, [LIST_PODS, SCALE], [WATCH_ALL, LOG, VERSION])
  says("tells groups, the core group as the empty word", { groups: [""] }, [LIST_PODS, LOG], [WATCH_ALL, VERSION])
  says("tells resources from their subresources", { resources: ["pods"] }, [LIST_PODS], [LOG, WATCH_ALL, VERSION])
  says(
    "takes a subresource by name or any",
    { resources: ["pods/log", "*/scale"] },
    [LOG, SCALE],
    [LIST_PODS, WATCH_ALL]
  )
  says("takes every object for a star", { resources: ["*"] }, [LIST_PODS, LOG, SCALE, WATCH_ALL], [VERSION])
  says("tells namespaces, all of them as the empty word", { namespaces: [""] }, [WATCH_ALL], [LIST_PODS, VERSION])
  says("tells names", { names: ["web-1"] }, [LOG], [LIST_PODS, SCALE])
  says("tells paths by their beginning", { path: "/apis/apps" }, [WATCH_ALL, SCALE], [LIST_PODS, VERSION])
  says(
    "wants all of its parts",
    { verbs: ["list"], resources: ["pods"], namespaces: ["shop"], userAgent: "kubectl" },
    [LIST_PODS],
    [call("GET", "/api/v1/namespaces/shop/pods", "curl/8"), call("GET", "/api/v1/namespaces/other/pods")]
  )

  const word = Schema.Literals(["pods", "deployments", "shop", "*", ""])
  const verb = Schema.Literals(["list", "watch", "get", "*"])
  const Parts = Schema.Struct({
    verbs: Schema.Array(verb),
    resources: Schema.Array(word),
    namespaces: Schema.Array(word)
  })
  it.prop("narrows with every part that is added", [Parts], ([parts]) => {
    for (const one of [LIST_PODS, WATCH_ALL, LOG, SCALE, VERSION]) {
      if (!matches(parts, one)) continue
      assert.isTrue(matches({ verbs: parts.verbs }, one))
      assert.isTrue(matches({ resources: parts.resources }, one))
      assert.isTrue(matches({ namespaces: parts.namespaces }, one))
    }
  })
  it.prop("widens with every word that is added", [Parts, verb], ([{ verbs }, more]) => {
    for (const one of [LIST_PODS, WATCH_ALL, LOG, SCALE, VERSION]) {
      if (matches({ verbs }, one)) assert.isTrue(matches({ verbs: [...verbs, more] }, one))
    }
  })
})

describe("the number of requests that are selected", () => {
  const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000 }))
  const selected = (matcher: Matcher, requests: number) => {
    const select = makeSelection(matcher)
    return Array.from({ length: requests }, select)
  }
  const yes = (all: ReadonlyArray<boolean>) => all.filter(Boolean).length

  it.prop("is the first so many for `next`", [Count, Count], ([next, requests]) => {
    const all = selected({ next }, requests)
    assert.strictEqual(yes(all), Math.min(next, requests))
    assert.isTrue(all.slice(0, next).every(Boolean))
  })

  it.prop(
    "keeps to the fraction in any run, and in every second of its requests",
    [Fraction, Count],
    ([fraction, requests]) => {
      const all = selected({ fraction }, requests)
      // The golden ratio's multiples lie so evenly that they miss a share by a few at most.
      assert.closeTo(yes(all), fraction * requests, 3 + Math.log2(requests) / 2)
      const even = all.filter((_, index) => index % 2 === 0)
      assert.closeTo(yes(even), fraction * even.length, 4 + Math.log2(requests))
    }
  )

  it.prop("is the same in every run", [Fraction, Count], ([fraction, next]) => {
    assert.deepStrictEqual(selected({ fraction, next }, 200), selected({ fraction, next }, 200))
  })

  it("is none for 0 and all for 1", () => {
    assert.strictEqual(yes(selected({ fraction: 0 }, 500)), 0)
    assert.strictEqual(yes(selected({ fraction: 1 }, 500)), 500)
  })
})
