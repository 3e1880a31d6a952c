import { assert, describe, it } from "@effect/vitest"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Schema } from "effect"
import { KindTable } from "../../src/cache/KindTable.ts"
import { type CountedPod, PodTotals } from "../../src/cache/PodTotals.ts"
import { isFinished } from "../../src/projection/PodProjection.ts"

const Pod = Schema.Struct({
  uid: Schema.Literals(["a", "b", "c", "d"]),
  namespace: Schema.Literals(["shop", "payments"]),
  phase: Schema.Literals(["Pending", "Running", "Succeeded", "Failed"]),
  cpuRequestMillis: Schema.Literals([0, 250, Number.MAX_SAFE_INTEGER]),
  memoryRequestBytes: Schema.Literals([0, 64, Number.MAX_SAFE_INTEGER]),
  terminating: Schema.Boolean,
  trouble: Schema.UndefinedOr(
    Schema.Struct({
      level: Schema.Literals(["blocked", "unready"]),
      reason: Schema.Literals(["CrashLoopBackOff", "Unschedulable"]),
      since: Schema.Literal("")
    })
  )
})

const Step = Schema.Struct({
  does: Schema.Literals(["put", "put", "delete", "restart", "synced", "compare"]),
  pod: Pod
})

/** What counting every pod comes to. */
const counted = (pods: ReadonlyArray<CountedPod>) => {
  const sum = (read: (pod: CountedPod) => number) =>
    pods
      .filter((pod) => !isFinished(pod))
      .reduce((total, pod) => Math.min(total + read(pod), Number.MAX_SAFE_INTEGER), 0)
  return {
    cpuRequestMillis: sum((pod) => pod.cpuRequestMillis),
    memoryRequestBytes: sum((pod) => pod.memoryRequestBytes)
  }
}

const labels = () => undefined

describe("PodTotals", () => {
  it.prop("are those of all pods that are shown, after any changes", [Schema.Array(Step)], ([steps]) => {
    const table = new KindTable<typeof Pod.Type>()
    const totals = new PodTotals()
    table.observe(totals)
    for (const { does, pod } of steps) {
      if (does === "put") table.apply([{ _tag: "Put", record: pod }], 0)
      if (does === "delete") table.apply([{ _tag: "Delete", uid: pod.uid }], 0)
      if (does === "restart") table.apply([{ _tag: "Restart" }], 0)
      if (does === "synced") table.apply([{ _tag: "Synced" }], 0)
      if (does === "compare") {
        table.beginComparison()
        table.endComparison(new Map([[pod.uid, pod]]), 0)
      }
      const shown = [...table.records.values()]
      assert.deepStrictEqual(totals.requests(), counted(shown))
      assert.strictEqual(totals.countIn(NamespaceFilter.everyNamespace, labels), shown.length)
      const shop = NamespaceFilter.anyOf([{ namespaceNames: ["shop"] }])
      const inShop = shown.filter(({ namespace }) => namespace === "shop")
      assert.strictEqual(totals.countIn(shop, labels), inShop.length)
      const blocked = inShop.flatMap(({ terminating, trouble }) =>
        terminating || trouble?.level !== "blocked" ? [] : [trouble.reason]
      )
      assert.deepStrictEqual(
        new Map(totals.blockedIn(shop, labels)),
        new Map(
          Array.from(
            Map.groupBy(blocked, (reason) => reason),
            ([reason, found]) => [reason, found.length]
          )
        )
      )
    }
  })
})
