import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { stringify } from "yaml"
import { fromFiles, splitPathList } from "../../src/registry/Kubeconfig.ts"
import { config } from "../fixture/KubeconfigText.ts"

describe("several files", () => {
  const two = (first: string, second: string) =>
    fromFiles([
      { path: "/a/config", text: first },
      { path: "/b/config", text: second }
    ])

  it("a context uses the cluster of its own file; relative paths start there; what differs is reported", () => {
    const { clusters, problems } = two(
      config({ contexts: ["x"], cluster: { server: "https://first.test", "certificate-authority": "ca" } }),
      config({ contexts: ["x", "y"], cluster: { server: "https://second.test", "certificate-authority": "ca" } })
    )
    assert.deepStrictEqual(
      clusters.map(({ connection, name }) => [name, connection.server, connection.certificateAuthority]),
      [
        ["x", "https://first.test", { _tag: "File", path: "/a/ca" }],
        ["y", "https://second.test", { _tag: "File", path: "/b/ca" }]
      ]
    )
    assert.deepStrictEqual(problems, [
      {
        severity: "error",
        code: "nameTaken",
        source: '/b/config, context "x"',
        message: "the context with the same name in /a/config takes precedence; rename one of them"
      },
      {
        severity: "warning",
        code: "entryDiffers",
        source: '/a/config, cluster "c"',
        message: "differs from the cluster with the same name in /b/config; each context uses the entry of its own file"
      }
    ])
  })

  it("entries that are alike are not reported; the same relative path in another folder is another file", () => {
    const alike = two(config({ contexts: ["x"] }), config({ contexts: ["y"] }))
    assert.deepStrictEqual(alike.problems, [])
    const user = { tokenFile: "token" }
    const other = two(config({ contexts: ["x"], user }), config({ contexts: ["y"], user }))
    assert.deepStrictEqual(
      other.problems.map(({ code, source }) => [code, source]),
      [["entryDiffers", '/a/config, user "u"']]
    )
  })

  it("an entry that the own file lacks comes from the first file that has it", () => {
    const of = (server: string) => stringify({ clusters: [{ name: "c", cluster: { server } }] })
    const { clusters } = fromFiles([
      { path: "/a/config", text: stringify({ contexts: [{ name: "x", context: { cluster: "c" } }] }) },
      { path: "/b/config", text: of("https://b.test") },
      { path: "/c/config", text: of("https://c.test") }
    ])
    assert.deepStrictEqual(
      clusters.map(({ connection }) => connection.server),
      ["https://b.test"]
    )
  })

  it("an own entry that cannot be used is not replaced by another file's", () => {
    const { clusters, problems } = two(
      config({ contexts: ["x"], user: { token: "of-a" } }),
      config({ contexts: ["y"], user: { token: 7 } })
    )
    assert.deepStrictEqual(
      clusters.map(({ name }) => name),
      ["x"]
    )
    assert.include(problems[0], { code: "contextIncomplete", source: '/b/config, context "y"' })
  })

  const Name = Schema.Literals(["kubernetes", "default", "eu", "admin"])
  const File = Schema.Struct({
    clusters: Schema.Array(Name),
    users: Schema.Array(Name),
    contexts: Schema.Array(Schema.Struct({ name: Name, cluster: Name, user: Name }))
  })

  it.prop(
    "whatever names files share, a server gets the credential of the context's own file, else of the first that has it",
    [Schema.Array(File)],
    ([files]) => {
      const distinct = <A>(items: ReadonlyArray<A>, nameOf: (item: A) => string) => [
        ...new Map(items.toReversed().map((item) => [nameOf(item), item])).values()
      ]
      const written = files.map((file) => ({
        clusters: [...new Set(file.clusters)],
        users: [...new Set(file.users)],
        contexts: distinct(file.contexts, ({ name }) => name)
      }))
      const { clusters, problems } = fromFiles(
        written.map((file, index) => ({
          path: `/${index}/config`,
          text: stringify({
            kind: "Config",
            clusters: file.clusters.map((name) => ({
              name,
              cluster: { server: `https://${name}.file-${index}.test` }
            })),
            users: file.users.map((name) => ({ name, user: { token: `${name}-of-${index}` } })),
            contexts: file.contexts.map(({ cluster, name, user }) => ({ name, context: { cluster, user } }))
          })
        }))
      )
      const found = new Map(clusters.map(({ connection, context }) => [context, connection]))
      const seen = new Set<string>()
      for (const [index, file] of written.entries()) {
        const holderOf = (kind: "clusters" | "users", name: (typeof Name)["Type"]) =>
          file[kind].includes(name) ? index : written.findIndex((other) => other[kind].includes(name))
        for (const { cluster, name, user } of file.contexts) {
          if (seen.has(name)) {
            const source = `/${index}/config, context "${name}"`
            assert.isTrue(problems.some((one) => one.code === "nameTaken" && one.source === source))
            continue
          }
          seen.add(name)
          const [at, of] = [holderOf("clusters", cluster), holderOf("users", user)]
          const connection = found.get(name)
          if (at === -1 || of === -1) {
            assert.isUndefined(connection)
            continue
          }
          assert.strictEqual(connection?.server, `https://${cluster}.file-${at}.test`)
          const credential = connection?.credential
          assert.strictEqual(
            credential?._tag === "Token" ? Redacted.value(credential.token) : undefined,
            `${user}-of-${of}`
          )
        }
      }
    }
  )

  it("the first file that names a current context decides", () => {
    assert.strictEqual(two(config({ contexts: ["x"] }), config({ contexts: ["y"], current: "y" })).current, "y")
    assert.strictEqual(
      two(config({ contexts: ["x"], current: "x" }), config({ contexts: ["y"], current: "y" })).current,
      "x"
    )
  })

  it("a broken file does not keep the others from loading", () => {
    const { clusters, problems } = two("]", config())
    assert.strictEqual(clusters.length, 1)
    assert.strictEqual(problems[0]?.source, "/a/config")
  })

  it("a path list drops blanks and repetitions", () => {
    assert.deepStrictEqual(splitPathList("/a::/b: /a :/c"), ["/a", "/b", "/c"])
  })
})
