import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { beyond, CHART, manifests, template, tryTemplate } from "./Chart.ts"
import { available, sayIfLeftOut, succeed } from "./Programs.ts"
import { tlsEverywhere, ways } from "./Ways.ts"

/** The chart's own version, which each release changes: a golden text has a word in its place. */
const version = /^version: (.*)$/m.exec(readFileSync(join(CHART, "Chart.yaml"), "utf8"))?.[1] ?? ""
const VERSION = new RegExp(`(?<![0-9.])${version.replaceAll(".", "[.]")}(?![0-9.])`, "g")

const golden = (name: string, text: string) =>
  Effect.promise(() => expect(text.replaceAll(VERSION, "VERSION")).toMatchFileSnapshot(`./golden/${name}.yaml`))

const Rules = Schema.Array(
  Schema.Struct({
    apiGroups: Schema.optionalKey(Schema.Array(Schema.String)),
    resources: Schema.optionalKey(Schema.Array(Schema.String)),
    nonResourceURLs: Schema.optionalKey(Schema.Array(Schema.String)),
    verbs: Schema.Array(Schema.String)
  })
)

const rulesOf = (objects: ReadonlyArray<{ readonly kind?: unknown; readonly rules?: unknown }>) =>
  Schema.decodeUnknownSync(Rules)(objects.find(({ kind }) => kind === "ClusterRole")?.rules)

const Documented = Schema.Array(Schema.Struct({ kind: Schema.String, rules: Schema.optionalKey(Schema.Unknown) }))

/** The rules of a ClusterRole of the docs. */
const documented = (file: string) =>
  rulesOf(
    Schema.decodeUnknownSync(Documented)(
      parseAllDocuments(readFileSync(new URL(`../../../docs/tasks/${file}`, import.meta.url), "utf8")).map((one) => {
        const object: unknown = one.toJS()
        return object
      })
    )
  )

for (const programs of available("helm")) {
  describe(`the chart by ${programs}`, () => {
    it.effect("is judged sound", () =>
      Effect.gen(function* () {
        assert.include(yield* succeed("helm", ["lint", "--strict", CHART]), "0 chart(s) failed")
      })
    )

    it.effect("renders its defaults as it did", () =>
      Effect.gen(function* () {
        yield* golden("default", yield* template("{}"))
      })
    )

    it.effect("renders every documented way of configuring it as it did", () =>
      Effect.gen(function* () {
        assert.isAbove(ways.length, 10)
        const plain = yield* template("{}")
        for (const { release, values } of ways) yield* golden(release, beyond(yield* template(values), plain))
        yield* golden("tls-everywhere", beyond(yield* template(tlsEverywhere), plain))
      })
    )

    it.effect("has the least ClusterRole of the docs, and for operators alone the one beside it", () =>
      Effect.gen(function* () {
        const least = rulesOf(manifests(yield* template("{}")))
        assert.deepStrictEqual(least, documented("least-clusterrole.yaml"))
        const withOperator = rulesOf(manifests(yield* template("operator: { enabled: true }")))
        assert.deepStrictEqual(withOperator.slice(0, least.length), least)
        assert.deepStrictEqual(withOperator.slice(least.length), documented("operator-clusterrole.yaml"))
        const added = withOperator
          .slice(least.length)
          .flatMap(({ resources = [], verbs }) => resources.map((resource) => `${verbs.join(",")} ${resource}`))
        assert.deepStrictEqual(added, [
          "patch deployments/scale",
          "patch replicasets/scale",
          "patch statefulsets/scale",
          "patch daemonsets",
          "patch deployments",
          "patch statefulsets",
          "patch cronjobs",
          "get pods/log"
        ])
      })
    )

    it.effect("refuses values that do not exist, and names each", () =>
      Effect.gen(function* () {
        const { status, stderr } = yield* tryTemplate(`
apiKey: { keys: [] }
apiKeys: { secret: x }
image: { name: x }
settings: { server: { port: 80, prot: 1 }, telemetry: { logLevel: loud } }
replicas: 2
`)
        assert.notStrictEqual(status, 0)
        for (const told of [
          /additional properties .*'apiKey'.* not allowed/,
          /'\/apiKeys': additional properties 'secret' not allowed/,
          /'\/image': additional properties 'name' not allowed/,
          /'\/settings\/server': additional properties .*'port'.* not allowed/,
          /'\/settings\/telemetry\/logLevel': value must be one of/,
          /'replicas'/
        ]) {
          assert.match(stderr, told)
        }
      })
    )

    it.effect("refuses its own Secret under the name of somebody's, whatever it is for", () =>
      Effect.gen(function* () {
        const { status, stderr } = yield* tryTemplate(`
apiKeys: { secretName: quarterdeck-keys }
kubeconfigs: { secretName: quarterdeck-keys }
tls: { secretName: another }
`)
        assert.notStrictEqual(status, 0)
        for (const field of ["apiKeys", "kubeconfigs"]) {
          assert.include(stderr, `${field}.secretName: the chart creates the Secret quarterdeck-keys itself`)
        }
        assert.notInclude(stderr, "tls.secretName")
      })
    )

    it.effect("refuses what contradicts itself, all faults at once", () =>
      Effect.gen(function* () {
        const { status, stderr } = yield* tryTemplate(`
settings:
  cost: { url: "https://user:s3cret@clickhouse:8443", usage: "prometheus=https://user:s3cret@prometheus" }
  oidc: { issuer: https://login.example.com }
serviceMonitor: { enabled: true }
httpRoute: { enabled: true }
ingress: { enabled: true, tlsSecretName: tls }
`)
        assert.notStrictEqual(status, 0)
        for (const told of [
          /settings\.cost\.url: contains a user or password.*QUARTERDECK_COST_URL.*secretSettings\.secretName/,
          /settings\.cost\.usage: .*QUARTERDECK_USAGE /,
          /settings\.oidc\.clientId: is required/,
          /settings\.oidc\.rules: is required/,
          /settings\.server\.publicUrl: is required/,
          /serviceMonitor\.secretName: must name a Secret/,
          /httpRoute\.parentRefs: must name a Gateway/,
          /ingress\.host: is required/
        ]) {
          assert.match(stderr, told)
        }
        assert.notInclude(stderr, "s3cret")
      })
    )
  })
}
sayIfLeftOut(it, "helm")
