import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import * as ActionTargets from "../../../src/cli/act/ActionTargets.ts"
import * as KindNames from "../../../src/http/request/KindNames.ts"

/** Nothing listens there: what is read of words alone asks nobody. */
const connection = {
  base: "http://127.0.0.1:1",
  authorization: Redacted.make("Bearer key"),
  clusterHeader: "X-Service-Cluster"
}

type Flags = Parameters<typeof ActionTargets.read>[1]

interface Given extends Omit<Flags, "namespace"> {
  readonly namespace: Option.Option<ReadonlyArray<string>>
}

const read = (words: Partial<Given>) => {
  const given = {
    workload: "deploy",
    allNamespaces: false,
    namespace: Option.none<ReadonlyArray<string>>(),
    labelSelector: Option.none<string>(),
    status: Option.none<Array<string>>(),
    cluster: Option.some("prod"),
    ...words
  }
  const namespace = Option.map(given.namespace, (names) => [...names])
  return Effect.result(ActionTargets.read(connection, { ...given, namespace })).pipe(
    Effect.provide(NodeHttpClient.layerNodeHttp)
  )
}

const Name = Schema.Literals(["web", "db", "job-1", "a"])
const Names = Schema.NonEmptyArray(Name)
const Kinds = Schema.NonEmptyArray(Schema.Literals(["deploy", "Deployment", "sts", "daemonsets", "cj", "Rollout"]))

describe("which workloads an action is about", () => {
  it.effect.prop(
    "a name, one namespace and one cluster are one workload, and more of either are many of that name",
    [Kinds, Name, Names, Names],
    ([[kind], name, namespaces, clusters]) =>
      Effect.gen(function* () {
        const words = {
          workload: `${kind}/${name}`,
          namespace: Option.some(namespaces),
          cluster: Option.some(clusters.join("|"))
        }
        const targets = yield* Effect.fromResult(yield* read(words))
        if (namespaces.length === 1 && clusters.length === 1) {
          const [[namespace], [cluster]] = [namespaces, clusters]
          const workload = { cluster, namespace, kind: KindNames.parse(kind), name }
          assert.deepStrictEqual(targets, { _tag: "One", workload })
          return
        }
        const query: ReadonlyArray<readonly [string, string]> = [
          ["kind", KindNames.parse(kind)],
          ...namespaces.map((namespace) => ["namespace", namespace] as const),
          ["name", name]
        ]
        assert.deepInclude(targets, { _tag: "Many", name, query, cluster: words.cluster })
      })
  )

  it.effect.prop(
    "labels ask for each kind, in the namespaces that are named, in default without, in none with all",
    [Kinds, Schema.Option(Names), Schema.Boolean],
    ([kinds, namespace, allNamespaces]) =>
      Effect.gen(function* () {
        const words = { workload: kinds.join(","), namespace, allNamespaces, labelSelector: Option.some("app=web") }
        const outcome = yield* read(words)
        if (allNamespaces && Option.isSome(namespace)) {
          assert.isTrue(Result.isFailure(outcome) && outcome.failure.exitCode === 2)
          return
        }
        const targets = yield* Effect.fromResult(outcome)
        const asked = allNamespaces ? [] : Option.getOrElse(namespace, () => ["default"])
        const query: ReadonlyArray<readonly [string, string]> = [
          ...kinds.map((kind) => ["kind", KindNames.parse(kind)] as const),
          ...asked.map((name) => ["namespace", name] as const),
          ["labelSelector", "app=web"]
        ]
        const many = { _tag: "Many", cluster: Option.some("prod"), name: undefined, query } satisfies ActionTargets.Many
        assert.deepStrictEqual<ActionTargets.Targets>(targets, many)
      })
  )

  it.effect.prop(
    "a kind alone is never taken for all of that kind, and labels never go with a name",
    [Kinds, Name, Schema.Boolean],
    ([kinds, name, isNamed]) =>
      Effect.gen(function* () {
        const words = isNamed
          ? { workload: `${kinds[0]}/${name}`, labelSelector: Option.some("app=web") }
          : { workload: kinds.join(",") }
        const targets = yield* read(words)
        assert.isTrue(Result.isFailure(targets) && targets.failure.exitCode === 2)
      })
  )
})
