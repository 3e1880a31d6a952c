import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Duration, Result, Schema } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import * as Reference from "../../src/settings/Reference.ts"
import * as SettingsError from "../../src/settings/SettingsError.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"
import { rows, table } from "../../src/settings/Table.ts"
import { variableOf } from "../../src/settings/Variables.ts"

interface Sources {
  readonly flags?: Record<string, string>
  readonly variables?: Record<string, string>
  readonly yaml?: string
}

const combine = ({ flags = {}, variables = {}, yaml = "" }: Sources) =>
  Settings.combine(flags, variables, SettingsFile.parse("q.yaml", yaml))

const settings = (sources: Sources) => Result.getOrThrow(combine(sources)).settings

const lines = (sources: Sources) =>
  Result.match(combine(sources), { onSuccess: () => [], onFailure: (error) => error.lines })

describe("Settings", () => {
  it("has the documented defaults", () => {
    const { clusters, dataDirectory, keys, limits, server, telemetry } = settings({})
    assert.deepStrictEqual(server, {
      host: "127.0.0.1",
      port: 8080,
      tls: undefined,
      shutdownMs: 10_000,
      metrics: "protected",
      allowedOrigins: [],
      allowedHosts: [],
      publicUrl: undefined,
      trustedProxies: []
    })
    assert.deepStrictEqual(limits, { keyPerSecond: 50, keyBurst: 100, failedPerSecond: 10, failedBurst: 50 })
    assert.deepStrictEqual(clusters, {
      ...{ kubeconfig: [], names: {}, parent: undefined, header: "X-Service-Cluster", allowLoopback: false },
      ...{ secretFile: undefined, argoSecrets: [], profiles: [], allowedCommands: [] }
    })
    assert.strictEqual(Duration.toDays(keys.maxLifetime), 3_650)
    assert.strictEqual(dataDirectory, "./quarterdeck-data")
    assert.deepStrictEqual(telemetry, { logLevel: "info", logFormat: "text", otlpEndpoint: undefined })
  })

  it("takes a flag before a variable, a variable before the file, the file before the default, and tells which", () => {
    const yaml = "server:\n  port: 1\n  host: ::1\nfanOut: { maxNames: 5 }\n"
    const loaded = Result.getOrThrow(
      combine({
        flags: { port: "3" },
        variables: { QUARTERDECK_PORT: "2", QUARTERDECK_HOST: "0.0.0.0" },
        yaml
      })
    )
    assert.strictEqual(loaded.settings.server.port, 3)
    assert.strictEqual(loaded.settings.server.host, "0.0.0.0")
    assert.strictEqual(loaded.settings.fanOut.maxNames, 5)
    const origin = (path: string) => SettingsError.printOrigin(loaded.origins.get(path) ?? { _tag: "Default" })
    assert.deepStrictEqual(["server.port", "server.host", "fanOut.maxNames", "dataDirectory"].map(origin), [
      "--port",
      "QUARTERDECK_HOST",
      "q.yaml:4:21",
      "default"
    ])
  })

  it("tells the origin of every setting of the table", () => {
    const { origins } = Result.getOrThrow(combine({}))
    assert.sameMembers(
      [...origins.keys()],
      rows.map((row) => row.path)
    )
  })

  it("gives each setting its own path, flag and variable, those of the service's description among them", () => {
    for (const names of [rows.map((row) => row.path), rows.map((row) => row.flag)]) {
      assert.strictEqual(new Set(names).size, rows.length)
    }
    assert.includeMembers(rows.map(variableOf), [
      "QUARTERDECK_HOST",
      "QUARTERDECK_PORT",
      "QUARTERDECK_DATA",
      "QUARTERDECK_KUBECONFIG",
      "QUARTERDECK_PARENT",
      "QUARTERDECK_KEYS_FILE",
      "QUARTERDECK_BOOTSTRAP_KEY_FILE",
      "QUARTERDECK_CLUSTER_HEADER",
      "QUARTERDECK_COST_URL",
      "QUARTERDECK_USAGE"
    ])
  })

  it("reads the same from its own reference file as from no file", () => {
    assert.deepStrictEqual(settings({ yaml: Reference.yaml() }), settings({}))
  })

  it("reads every setting from each of the three sources", () => {
    /** Text and YAML of each setting, other than its default, in the order of the table. */
    const given: Record<keyof typeof table, readonly [text: string, yaml: string]> = {
      host: ["h.example", "h.example"],
      port: ["0", "0"],
      tlsCertFile: ["c.pem", "c.pem"],
      tlsKeyFile: ["k.pem", "k.pem"],
      shutdownMs: ["5", "5"],
      metrics: ["off", "off"],
      allowedOrigins: ["https://a.example,http://b.example:81", "[https://a.example, http://b.example:81]"],
      allowedHosts: ["deck.example,10.0.0.7", "[deck.example, 10.0.0.7]"],
      publicUrl: ["https://deck.example/ops", "https://deck.example/ops"],
      trustedProxies: ["10.0.0.0/8,2001:db8::1", '[10.0.0.0/8, "2001:db8::1"]'],
      kubeconfig: ["a:b", "[a, b]"],
      clusterNames: ["x=y=prod,z=stage", "{ x=y: prod, z: stage }"],
      parent: ["prod", "prod"],
      clusterHeader: ["X-Target", "X-Target"],
      allowLoopback: ["true", "true"],
      secretFile: ["clusters.key", "clusters.key"],
      argoSecrets: ["argocd,gitops", "[argocd, gitops]"],
      profiles: ["fleet", "[fleet]"],
      allowedCommands: ["/opt/login,other", "[/opt/login, other]"],
      keysFile: ["keys.yaml:more.yaml", "[keys.yaml, more.yaml]"],
      bootstrapKeyFile: ["first", "first"],
      keyMaxLifetime: ["30d", "30d"],
      keyMaxLifetimeOfPeople: ["7d", "7d"],
      keyMaxPerMaker: ["20", "20"],
      oidcIssuer: ["https://id.example/realms/ops", "https://id.example/realms/ops"],
      oidcClientId: ["quarterdeck", "quarterdeck"],
      oidcClientSecretFile: ["secret", "secret"],
      oidcGroupsClaim: ["roles", "roles"],
      oidcScopes: ["openid groups", "[openid, groups]"],
      oidcRules: [
        '[{"group":"platform","rule":{"role":"Admin"}},{"group":"shop","rule":{"role":"Viewer","targetClusters":["prod"]}}]',
        "[{ group: platform, rule: { role: Admin } }, { group: shop, rule: { role: Viewer, targetClusters: [prod] } }]"
      ],
      fanOutTimeoutMs: ["7", "7"],
      fanOutMaxTimeoutMs: ["8", "8"],
      fanOutPerCluster: ["9", "9"],
      fanOutMaxNames: ["10", "10"],
      fanOutMaxObjects: ["12", "12"],
      keyPerSecond: ["12", "12"],
      keyBurst: ["13", "13"],
      failedPerSecond: ["14", "14"],
      failedBurst: ["15", "15"],
      costUrl: ["https://user:word@ch.example:8443/costs", "https://user:word@ch.example:8443/costs"],
      usage: ["requests", "requests"],
      usageByCluster: ["a=metrics,b=prometheus=http://p:9090", "{ a: metrics, b: 'prometheus=http://p:9090' }"],
      usageClusterLabel: ["cluster", "cluster"],
      foldedPrefixes: ["spark-,airflow-task-", "[spark-, airflow-task-]"],
      accelerators: ["google.com/tpu,habana.ai/gaudi", "[google.com/tpu, habana.ai/gaudi]"],
      sampleSeconds: ["30", "30"],
      hourlyDays: ["11", "11"],
      retentionDays: ["399", "399"],
      auditReads: ["all", "all"],
      auditRetentionDays: ["12", "12"],
      auditMaxBytes: ["1048576", "1048576"],
      auditExportTo: ["https://siem.example/hook", "https://siem.example/hook"],
      auditExportSecretFile: ["export-secret", "export-secret"],
      auditExportCaFile: ["ca.pem", "ca.pem"],
      webhooksAllowedHosts: ["siem.example,b.example", "[siem.example, b.example]"],
      webhooksAllowLoopback: ["true", "true"],
      dataDirectory: ["/data", "/data"],
      logLevel: ["warn", "warn"],
      logFormat: ["json", "json"],
      otlpEndpoint: ["http://c.example:4318", "http://c.example:4318"]
    }
    assert.deepStrictEqual(Object.keys(given), Object.keys(table))
    const values = Object.values(given)
    const each = rows.map((row, index) => ({ row, text: values[index]?.[0] ?? "", yaml: values[index]?.[1] ?? "" }))

    const fromFlags = settings({ flags: Object.fromEntries(each.map(({ row, text }) => [row.flag, text])) })
    const fromVariables = settings({
      variables: Object.fromEntries(each.map(({ row, text }) => [variableOf(row), text]))
    })
    const linesOf = (section: string) =>
      each.flatMap(({ row, yaml }) => {
        const at = row.path.lastIndexOf(".")
        return row.path.slice(0, Math.max(at, 0)) === section ? [`${row.path.slice(at + 1)}: ${yaml}`] : []
      })
    const flow = (section: string) => `{ ${linesOf(section).join(", ")} }`
    const fromFile = settings({
      yaml: [
        `server: { ${linesOf("server").join(", ")}, tls: ${flow("server.tls")} }`,
        `audit: { ${linesOf("audit").join(", ")}, export: ${flow("audit.export")} }`,
        ...["clusters", "keys", "oidc", "fanOut", "limits", "cost", "webhooks", "telemetry"].map(
          (section) => `${section}: ${flow(section)}`
        ),
        ...linesOf("")
      ].join("\n")
    })

    assert.deepStrictEqual(fromVariables, fromFlags)
    assert.deepStrictEqual(fromFile, fromFlags)
    assert.deepStrictEqual(fromFlags.server.tls, { certFile: "c.pem", keyFile: "k.pem" })
    assert.deepStrictEqual(fromFlags.clusters, {
      kubeconfig: ["a", "b"],
      names: { "x=y": ClusterName.make("prod"), z: ClusterName.make("stage") },
      parent: ClusterName.make("prod"),
      header: "X-Target",
      allowLoopback: true,
      secretFile: "clusters.key",
      argoSecrets: ["argocd", "gitops"],
      ...{ profiles: ["fleet"], allowedCommands: ["/opt/login", "other"] }
    })
  })

  it("names every mistake of every source at once, one line each, and never the values", () => {
    const found = lines({
      flags: { port: "hunter2" },
      variables: { QUARTERDECK_PORT: "hunter2", QUARTERDECK_PROT: "hunter2", QUARTERDECK_DATA: "" },
      yaml: 'server:\n  port: "80"\n  prot: hunter2\nkeys: [hunter2]\nfanOut:\n  timeoutMs: 0\nclusters: { header: Host }\n'
    })
    const allowed = "server.port must be a whole number from 0 to 65535"
    assert.sameMembers(
      found.filter((line) => !line.startsWith("QUARTERDECK_PROT:")),
      [
        `--port: ${allowed}`,
        `QUARTERDECK_PORT: ${allowed}`,
        `q.yaml:2:9: ${allowed}, found text`,
        "q.yaml:3:3: server.prot is not a setting; did you mean server.port? server may contain host, port, tls, shutdownMs, metrics, allowedOrigins, allowedHosts, publicUrl, trustedProxies",
        "q.yaml:4:7: keys must be a map of settings, found a list",
        "q.yaml:6:14: fanOut.timeoutMs must be a whole number from 1 to 30000, found a number",
        "q.yaml:7:21: clusters.header must be an HTTP header name that has no standard meaning (not Authorization, Host, Cookie, Content-* or similar), found text",
        "QUARTERDECK_DATA: dataDirectory must be a path, found nothing"
      ]
    )
    assert.match(
      found.find((line) => line.startsWith("QUARTERDECK_PROT:")) ?? "",
      /^QUARTERDECK_PROT: is not a variable of Quarterdeck; did you mean QUARTERDECK_PORT\?$/
    )
    for (const line of found) assert.notInclude(line, "hunter2")
  })

  it("refuses a mistake even where a stronger source overrides it", () => {
    assert.deepStrictEqual(lines({ flags: { port: "1" }, variables: { QUARTERDECK_PORT: "x" } }), [
      "QUARTERDECK_PORT: server.port must be a whole number from 0 to 65535"
    ])
  })

  it.each(["-1", "65536", "80.0", "8e1", "0x50", "080", " 80", "80 ", "+80", "Infinity", "NaN", ""])(
    "refuses the port %j",
    (port) => {
      assert.lengthOf(lines({ variables: { QUARTERDECK_PORT: port } }), 1)
    }
  )

  it.each([
    "server: { port: 65536 }",
    "server: { port: -1 }",
    "server: { port: 1.5 }",
    "server: { port: .nan }",
    "server: { port: true }",
    "server: { port: }",
    "server: { metrics: yes }",
    'server: { host: "" }',
    'server: { host: "[::1]" }',
    'server: { host: "a b" }',
    "server: { tls: cert.pem }",
    "server: 8080",
    "clusters: { kubeconfig: a }",
    "clusters: { kubeconfig: [a, 1] }",
    'clusters: { names: { ctx: "a|b" } }',
    "clusters: { names: [ctx] }",
    'clusters: { parent: "*" }',
    "keys: { maxLifetime: 10 }",
    "keys: { maxLifetime: 0d }",
    "keys: { maxLifetime: 10w }",
    "telemetry: { logLevel: Info }",
    'telemetry: { otlpEndpoint: "http://user:secret@c.example" }',
    'telemetry: { otlpEndpoint: "grpc://c.example" }',
    "server.port: 80",
    "limit: {}",
    "- 1",
    "text"
  ])("refuses the file %s with one line", (yaml) => {
    assert.lengthOf(lines({ yaml }), 1)
  })

  it("takes an empty file, a file of comments, and sections without entries as no settings", () => {
    for (const yaml of ["", "# nothing\n", "server:\nkeys: {}\nclusters: { parent: , kubeconfig: [] }\n"]) {
      assert.deepStrictEqual(settings({ yaml }), settings({}))
    }
  })

  it("wants the certificate and its key together, and blames the one that is given", () => {
    assert.deepStrictEqual(lines({ yaml: "server:\n  tls:\n    keyFile: k.pem\n" }), [
      "q.yaml:3:14: server.tls.keyFile needs server.tls.certFile: give both or neither"
    ])
    assert.deepStrictEqual(lines({ flags: { "tls-cert-file": "c.pem" } }), [
      "--tls-cert-file: server.tls.certFile needs server.tls.keyFile: give both or neither"
    ])
  })

  it("leaves the variables of the client commands alone", () => {
    const variables = { QUARTERDECK_URL: "x", QUARTERDECK_API_KEY: "y", QUARTERDECK_DRIVERS: "z", OTHER: "1" }
    assert.deepStrictEqual(settings({ variables }), settings({}))
  })

  it.prop(
    "never throws, whatever a source holds",
    [
      Schema.Record(Schema.Literals(rows.map((row) => row.flag)), Schema.String),
      Schema.Record(Schema.Literals(rows.map(variableOf)), Schema.String),
      Schema.String
    ],
    ([flags, variables, yaml]) => {
      const result = combine({ flags, variables, yaml })
      if (Result.isFailure(result)) {
        for (const line of result.failure.lines) assert.notMatch(line, /[\r\n]/)
      }
    }
  )
})
