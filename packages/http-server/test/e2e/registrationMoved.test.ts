/** A registered cluster's name is judged at every connect, by what it resolves to then. */
import { assert } from "@effect/vitest"
import { GuardedConnect } from "@quarterdeck/cluster-fanout"
import { eventually } from "@quarterdeck/harness"
import { Context, Effect } from "effect"
import { lookup } from "node:dns"
import { MaxRegistrations } from "../../src/services/Registrations.ts"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { drop, partsOf, plainServer, refused, register } from "./registered.ts"

/** What names resolve to now; of the others the system says. */
const answers = new Map<string, ReadonlyArray<string>>()

const resolve: GuardedConnect.Lookup = (hostname, options, answered) => {
  const addresses = answers.get(hostname)
  if (addresses === undefined) return lookup(hostname, options, answered)
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
  return process.nextTick(answered, null, found)
}

const METADATA = ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "fe80::1%1", "0.0.0.0"]

onOneDriver(
  "where a registered name leads",
  {
    children: ["prod"],
    kubeconfig: (fleet) => Effect.succeed(fleet.parent.kubeconfig),
    options: { clusters: { allowLoopback: true } },
    limits: Context.make(GuardedConnect.HostLookup, resolve).pipe(Context.add(MaxRegistrations, 2))
  },
  (it) => {
    /** The cluster under a name, which its certificate does not carry. */
    const named = Effect.fnUntraced(function* (name: string) {
      const parts = yield* partsOf("prod")
      return { ...parts, server: parts.server.replace("127.0.0.1", name), tlsServerName: "localhost" }
    })

    it.effect.each(METADATA.map((address) => [address] as const))(
      "a name that resolves to %s is refused",
      ([address]) =>
        Effect.gen(function* () {
          answers.set("meta.test", [address])
          const problem = yield* refused(yield* named("meta.test"))
          assert.deepInclude(problem, { status: 400, code: "cluster_refused", field: "server" })
          assert.include(problem.detail, "ADDRESS_FORBIDDEN")
        })
    )

    it.effect("a name is refused when one of its addresses is forbidden", () =>
      Effect.gen(function* () {
        answers.set("both.test", ["127.0.0.1", "169.254.169.254"])
        assert.include((yield* refused(yield* named("both.test"))).detail, "ADDRESS_FORBIDDEN")
      })
    )

    it.effect("a proxy whose name resolves to metadata is refused, and one in front of such a name is not asked", () =>
      Effect.gen(function* () {
        answers.set("meta.test", ["169.254.169.254"])
        const parts = yield* partsOf("prod")
        const by = yield* refused({ ...parts, proxyUrl: "http://meta.test:3128" })
        assert.deepInclude(by, { code: "cluster_refused" })
        assert.include(by.detail, "ADDRESS_FORBIDDEN")
        const proxy = yield* plainServer((_request, response) => void response.end())
        const behind = yield* refused({ ...(yield* named("meta.test")), proxyUrl: proxy.server })
        assert.include(behind.detail, "ADDRESS_FORBIDDEN")
        assert.strictEqual(proxy.requests(), 0)
      }).pipe(Effect.scoped)
    )

    it.effect("no more clusters are registered than may be", () =>
      Effect.gen(function* () {
        const parts = yield* partsOf("prod")
        for (const name of ["one", "two"]) yield* register({ ...parts, name })
        const problem = yield* refused({ ...parts, name: "three" })
        assert.deepInclude(problem, { status: 409, code: "too_many_clusters", field: "name" })
        for (const name of ["one", "two"]) yield* drop(name)
      })
    )

    it.effect("a name that later resolves to metadata is not connected to, until it leads back", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        answers.set("moving.test", ["127.0.0.1"])
        const row = yield* register(yield* named("moving.test"))
        assert.isTrue(row.reachable)
        const prod = yield* deployment.fleet.cluster("prod")
        const rowOf = Effect.map(deployment.clusters("", { key: "admin" }), ({ clusters }) =>
          clusters.find(({ name }) => name === "prod")
        )
        yield* prod.kill
        answers.set("moving.test", ["169.254.169.254"])
        yield* prod.restart
        const refusedLive = yield* eventually(
          "the cluster is unreachable",
          deployment.clusters("?consistency=live", { key: "admin" }),
          ({ clusters }) => clusters.some(({ coverage, name }) => name === "prod" && coverage.status === "unreachable")
        )
        const { coverage } = refusedLive.clusters.find(({ name }) => name === "prod") ?? {}
        assert.include(coverage?.error?.message, "ADDRESS_FORBIDDEN")

        answers.set("moving.test", ["127.0.0.1"])
        yield* eventually("the cluster is reached again", rowOf, (now) => now?.reachable === true, {
          within: "30 seconds"
        })
        yield* drop("prod")
      })
    )
  }
)
