import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { stringify } from "yaml"
import { fromFiles, splitPathList } from "../../src/registry/Kubeconfig.ts"
import { config, problem, read } from "../fixture/KubeconfigText.ts"

describe("names", () => {
  const written = {
    "arn:aws:eks:eu-west-1:123456789012:cluster/prod": "arn-aws-eks-eu-west-1-123456789012-cluster-prod",
    "gke_my-project_europe-west1-b_prod": "gke_my-project_europe-west1-b_prod",
    "prod-aks": "prod-aks",
    "prod-aks-admin": "prod-aks-admin",
    "kubernetes-admin@kubernetes": "kubernetes-admin-kubernetes",
    "default/api-host:6443/user": "default-api-host-6443-user",
    "default/api-prod-example-com:6443/kube:admin": "default-api-prod-example-com-6443-kube-admin",
    "k3d-x": "k3d-x",
    "kind-x": "kind-x",
    "user@prod.eksctl.io": "user-prod.eksctl.io",
    "docker-desktop": "docker-desktop"
  }
  for (const [context, name] of Object.entries(written)) {
    it(`${context} is ${name}`, () => {
      assert.deepStrictEqual(
        read(config({ contexts: [context] })).clusters.map((cluster) => cluster.name),
        [name]
      )
    })
  }

  it("names given for contexts win", () => {
    const imported = read(config({ contexts: ["a", "b"] }), { a: "prod", c: "nobody" })
    assert.deepStrictEqual(
      imported.clusters.map(({ context, name }) => [context, name]),
      [
        ["a", "prod"],
        ["b", "b"]
      ]
    )
  })

  it("a name for a context that is not there is a warning", () => {
    const imported = read(config({ contexts: ["a", "b"] }), { a: "prod", c: "nobody" })
    assert.deepInclude(problem(imported), {
      severity: "warning",
      code: "contextUnknown",
      message: 'there is no context "c"; there are "a", "b"'
    })
  })

  it("of many contexts ten are named beside one that is not there", () => {
    const contexts = Array.from({ length: 12 }, (_, index) => `c${index}`)
    const { message } = problem(read(config({ contexts }), { c: "nobody" }))
    assert.match(message, /^there is no context "c"; there are "c0", .*, "c9" and 2 more$/)
  })

  it("a context that leaves no name is reported, the others load", () => {
    const imported = read(config({ contexts: ["@@@", "fine"] }))
    assert.deepStrictEqual(
      imported.clusters.map((cluster) => cluster.name),
      ["fine"]
    )
    assert.include(problem(imported), { code: "nameInvalid", source: '/etc/kube/config, context "@@@"' })
  })

  it("a context of other letters is told which setting names it", () => {
    const { message } = problem(read(config({ contexts: ["生产"] })))
    assert.strictEqual(
      message,
      "does not make a cluster name (1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit); give the context one by clusters.names"
    )
    assert.deepStrictEqual(
      read(config({ contexts: ["生产"] }), { 生产: "prod" }).clusters.map(({ name }) => String(name)),
      ["prod"]
    )
    const { message: taken } = problem(read(config({ contexts: ["生产-1", "测试-1"] })))
    assert.strictEqual(
      taken,
      'cluster name 1 is already taken by context "生产-1"; give one of them another name by clusters.names'
    )
  })

  it("a name that is given but is none is reported, not mended", () => {
    const imported = read(config({ contexts: ["a"] }), { a: "a b" })
    assert.deepStrictEqual(imported.clusters, [])
    assert.strictEqual(problem(imported).code, "nameInvalid")
  })

  it("of two contexts with one name the first counts and the other is reported", () => {
    const imported = read(config({ contexts: ["a@b", "a/b"] }))
    assert.deepStrictEqual(
      imported.clusters.map((cluster) => cluster.context),
      ["a@b"]
    )
    assert.include(problem(imported), { code: "nameTaken", severity: "error" })
    assert.include(problem(imported).message, '"a@b"')
  })

  it.prop(
    "whatever the contexts are called, no name comes twice and each is a cluster or a problem",
    [Schema.Array(Schema.String)],
    ([texts]) => {
      const contexts = [...new Set(texts.filter((text) => text !== ""))]
      const imported = read(config({ contexts }))
      const names = imported.clusters.map((cluster) => cluster.name)
      assert.strictEqual(new Set(names).size, names.length)
      assert.strictEqual(imported.clusters.length + imported.problems.length, contexts.length)
    }
  )
})

describe("the current context", () => {
  it("gives its cluster's name", () => {
    assert.strictEqual(read(config({ contexts: ["a", "b@c"], current: "b@c" })).current, "b-c")
  })

  it("gives nothing when its context cannot be used or does not exist", () => {
    assert.isUndefined(read(config({ contexts: ["a"], current: "b" })).current)
    assert.isUndefined(read(config({ contexts: ["a"], current: "" })).current)
  })
})

describe("what is broken", () => {
  const SECRET = "s3cr3t-value"
  const broken: Record<string, string> = {
    "no YAML": `users: [\n- token: ${SECRET}\n  x: : :`,
    "a duplicate key": `token: ${SECRET}\ntoken: ${SECRET}`,
    "a list": `- ${SECRET}`,
    "an empty file": " \n",
    "another kind": "kind: Pod",
    "contexts that are no list": "contexts: 7",
    "an entry without a name": `users: [{ user: { token: ${SECRET} } }]`,
    "aliases without end":
      "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]"
  }
  for (const [name, text] of Object.entries(broken)) {
    it(`${name} is one problem with the file's name and nothing of its content`, () => {
      const { clusters, problems } = read(text)
      assert.deepStrictEqual(clusters, [])
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], { code: "fileInvalid", source: "/etc/kube/config", severity: "error" })
      assert.notInclude(JSON.stringify(problems), SECRET)
    })
  }

  it("a user of the wrong shape costs its contexts alone, and its value is not told", () => {
    const text = stringify({
      clusters: [{ name: "c", cluster: { server: "https://c.test" } }],
      users: [
        { name: "bad", user: { token: { deep: SECRET } } },
        { name: "good", user: {} }
      ],
      contexts: [
        { name: "a", context: { cluster: "c", user: "bad" } },
        { name: "b", context: { cluster: "c", user: "good" } },
        { name: "c", context: { cluster: "nowhere", user: "good" } },
        { name: "d", context: { cluster: "c" } }
      ]
    })
    const { clusters, problems } = read(text)
    assert.deepStrictEqual(
      clusters.map((cluster) => cluster.name),
      ["b", "d"]
    )
    assert.deepStrictEqual(
      problems.map((one) => one.message),
      ["user: token is missing or of the wrong type", 'cluster "nowhere" does not exist']
    )
    assert.notInclude(JSON.stringify(problems), SECRET)
  })

  it.prop("no text at all makes the import throw", [Schema.String], ([text]) => {
    const { clusters, problems } = read(text)
    assert.isTrue(clusters.length === 0 && problems.length <= 1)
  })
})

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
        message: "the context of this name in /a/config counts; rename one of them"
      },
      {
        severity: "warning",
        code: "entryDiffers",
        source: '/a/config, cluster "c"',
        message: "differs from the cluster of this name in /b/config; each context uses the entry of its own file"
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
