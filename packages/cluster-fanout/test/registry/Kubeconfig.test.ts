import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { stringify } from "yaml"
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

  it("the problem of a context in another alphabet names the setting for its cluster name", () => {
    const { message } = problem(read(config({ contexts: ["生产"] })))
    assert.strictEqual(
      message,
      "the context's name cannot be turned into a cluster name (1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit); set a name in clusters.names"
    )
    assert.deepStrictEqual(
      read(config({ contexts: ["生产"] }), { 生产: "prod" }).clusters.map(({ name }) => String(name)),
      ["prod"]
    )
    const { message: taken } = problem(read(config({ contexts: ["生产-1", "测试-1"] })))
    assert.strictEqual(
      taken,
      'cluster name 1 is already taken by context "生产-1"; set another name for one of them in clusters.names'
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
