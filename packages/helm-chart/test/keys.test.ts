import { assert, describe, it } from "@effect/vitest"
import { KeysFile } from "@quarterdeck/keys"
import { KeyHash } from "@quarterdeck/keys/KeyHash"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DateTime, Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { anyEntries, sha256 } from "./AnyEntry.ts"
import { manifests, template, tryTemplate } from "./Chart.ts"
import { available, sayIfLeftOut } from "./Programs.ts"

const HASH = sha256("a key")
const ADMIN = { role: "Admin" }

/** Values as JSON, in which what YAML does not let stand by itself is escaped. */
const valuesOf = (keys: ReadonlyArray<unknown>): string =>
  JSON.stringify({ apiKeys: { keys } }).replaceAll(
    /[\u007F-\u009F\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** The entries that helm refuses, by their places: those that the schema refuses, or those that the chart's own checks do. */
const refusedIn = (stderr: string): ReadonlySet<number> =>
  new Set(
    [...stderr.matchAll(/\/apiKeys\/keys\/(\d+)|apiKeys\.keys\[(\d+)\]/g)].map(([, one, other]) => Number(one ?? other))
  )

/** Entries with their places, without those that helm refuses. */
type Placed = ReadonlyArray<readonly [place: number, entry: unknown]>

/** What helm leaves of some entries: it stops at the schema before it comes to the checks. */
const acceptedOf = Effect.fnUntraced(function* (placed: Placed): Effect.fn.Return<Placed> {
  const { status, stderr } = yield* tryTemplate(valuesOf(placed.map(([, entry]) => entry)))
  if (status === 0) return placed
  const refused = refusedIn(stderr)
  assert.isAbove(refused.size, 0, stderr)
  return placed.filter((_, index) => !refused.has(index))
})

/** The keys that the server reads in the Secret that helm renders. */
const readRendered = Effect.fnUntraced(function* (values: string) {
  const secret = manifests(yield* template(values)).find(({ kind }) => kind === "Secret")
  const data = secret?.["data"]
  const encoded: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "keys") : undefined
  assert.isString(encoded)
  return Result.getOrThrow(KeysFile.parse(Buffer.from(String(encoded), "base64").toString("utf8")))
})

/** What a key is, wherever it stands in its file. */
const meaning = ({ expiresAt, hash, name, rule }: KeysFile.ConfiguredKey) => ({ name, hash, rule, expiresAt })

for (const programs of available("helm")) {
  describe(`apiKeys.keys by ${programs}`, () => {
    it.effect.prop(
      "takes the entries that the server's own reader takes, and hands them on unchanged",
      [anyEntries],
      ([entries]) =>
        Effect.gen(function* () {
          const all: Placed = entries.map((entry, place) => [place, entry] as const)
          const accepted = yield* acceptedOf(yield* acceptedOf(all))
          const own = Result.getOrThrow(KeysFile.parse(JSON.stringify(entries)))
          const byChart = new Set(accepted.map(([place]) => place))
          const byServer = new Set(own.keys.map(({ index }) => index))
          const without = (some: ReadonlySet<number>, others: ReadonlySet<number>) =>
            JSON.stringify([...some].filter((place) => !others.has(place)).map((place) => entries[place]))
          // As text: a diff of so many entries would say nothing.
          assert.strictEqual(without(byChart, byServer), "[]", "accepted by the chart alone")
          assert.strictEqual(without(byServer, byChart), "[]", "accepted by the server alone")
          const read = yield* readRendered(valuesOf(accepted.map(([, entry]) => entry)))
          assert.deepStrictEqual(read.refused, [])
          assert.deepStrictEqual(read.keys.map(meaning), own.keys.map(meaning))
        }),
      { arbitrary: { runs: 4 } }
    )

    it.effect("refuses a key in the place of its hash, with the command that mends it, and does not tell the key", () =>
      Effect.gen(function* () {
        const { status, stderr } = yield* tryTemplate(
          valuesOf([
            { name: "ci", hash: "qd_plain-key-of-somebody", rule: ADMIN },
            { name: "team", hash: sha256(""), rule: ADMIN },
            { name: "qd_0123456789abcdefghij", hash: "qd_0123456789abcdefghij", rule: ADMIN }
          ])
        )
        assert.notStrictEqual(status, 0)
        assert.match(
          stderr,
          /apiKeys\.keys\[0\] \("ci"\)\.hash: must be the SHA-256 of the key .*`quarterdeck key hash < FILE`/
        )
        assert.match(
          stderr,
          /apiKeys\.keys\[1\] \("team"\)\.hash: is the hash of an empty file: `quarterdeck key hash < FILE`/
        )
        assert.match(stderr, /apiKeys\.keys\[2\]\.hash: must be/)
        assert.notMatch(stderr, /qd_/)
      })
    )

    it.effect("refuses a hash and a name that stand twice, with the command that mends it", () =>
      Effect.gen(function* () {
        const { status, stderr } = yield* tryTemplate(
          valuesOf([
            { name: "ci", hash: HASH, rule: ADMIN },
            { name: "cd", hash: HASH, rule: ADMIN },
            { name: "ci", hash: sha256("another"), rule: ADMIN }
          ])
        )
        assert.notStrictEqual(status, 0)
        assert.match(
          stderr,
          /apiKeys\.keys\[1\] \("cd"\)\.hash: apiKeys\.keys\[0\] \("ci"\) has the same hash.*`quarterdeck key hash/
        )
        assert.match(
          stderr,
          /apiKeys\.keys\[2\] \("ci"\)\.name: apiKeys\.keys\[0\] \("ci"\) has the same name.*`quarterdeck key hash/
        )
        assert.notInclude(stderr, HASH)
      })
    )

    it.effect("takes what the page shows of a new key, and the server reads the key of it", () =>
      Effect.gen(function* () {
        const { keys } = yield* readRendered(readFileSync(new URL("from-the-page.yaml", import.meta.url), "utf8"))
        assert.deepStrictEqual(keys.map(meaning), [
          {
            name: 'the "shop": #1',
            // Without quotes it would be a number.
            hash: KeyHash.make(`${"1".repeat(60)}e123`),
            rule: {
              role: "Viewer",
              targetClusters: [ClusterName.make("prod"), ClusterName.make("1e3")],
              targetNamespaces: [
                { namespaceNames: ["shop", "null"] },
                { namespaceNames: [], labelSelector: { matchLabels: { team: "yes", "example.com/tier": "" } } }
              ]
            },
            expiresAt: DateTime.makeUnsafe("2030-01-31T12:00:00Z")
          }
        ])
      })
    )

    it.effect("takes an instant without quotes, as the docs show it, and bounds the names of one rule", () =>
      Effect.gen(function* () {
        const names = Array.from({ length: 251 }, (_, index) => `ns-${index}`)
        const keys = (selectors: number) => `
apiKeys:
  keys:
    - name: ci
      hash: ${JSON.stringify(HASH)}
      expire: 2027-06-30T00:00:00Z
      rule:
        role: Viewer
        targetNamespaces: ${JSON.stringify(Array.from({ length: selectors }, () => ({ namespaceNames: names })))}
`
        assert.strictEqual((yield* tryTemplate(keys(1))).status, 0)
        assert.match(
          (yield* tryTemplate(keys(2))).stderr,
          /apiKeys\.keys\[0\] \("ci"\)\.rule\.targetNamespaces: at most 500 namespace names/
        )
      })
    )
  })
}
sayIfLeftOut(it, "helm")
