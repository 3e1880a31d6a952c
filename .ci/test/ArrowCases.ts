/** Imports that the linter allows and refuses, by folder. `Arrows.test.ts` checks each. */
/** Each folder with what its sources may import and what they may not. */
export const ARROWS: Readonly<
  Record<string, { readonly may: ReadonlyArray<string>; readonly mayNot: ReadonlyArray<string> }>
> = {
  "packages/targeting/src": {
    may: ["effect", "effect/Schema", "./ClusterName.ts", "../Target.ts"],
    mayNot: [
      "@quarterdeck/keys",
      "@quarterdeck/keys/Rule",
      "@quarterdeck/cluster-fanout/Row",
      "@quarterdeck/contract/Api",
      "@quarterdeck/http-server/Routes",
      "@quarterdeck/harness",
      "@effect/platform-node",
      "yaml",
      "node:fs",
      "fs",
      "../../keys/src/Rule.ts"
    ]
  },
  "packages/sqlite-thread/src": {
    may: ["effect", "node:worker_threads", "./ThreadFault.ts"],
    mayNot: ["@quarterdeck/targeting/ClusterName", "@quarterdeck/keys/KeyStore", "@effect/platform-node", "yaml"]
  },
  "packages/keys/src": {
    may: [
      "@quarterdeck/sqlite-thread",
      "effect",
      "effect/Schema",
      "yaml",
      "node:sqlite",
      "node:fs/promises",
      "@quarterdeck/targeting/ClusterName"
    ],
    mayNot: [
      "@quarterdeck/cluster-fanout/Row",
      "@quarterdeck/contract/Api",
      "@quarterdeck/http-server/Routes",
      "@quarterdeck/harness",
      "@effect/platform-node",
      "undici",
      "@quarterdeck/targeting/internal/grammar",
      "../../targeting/src/ClusterName.ts"
    ]
  },
  "packages/cluster-fanout/src": {
    may: ["effect", "undici", "yaml", "node:tls", "@quarterdeck/targeting", "@quarterdeck/targeting/Target"],
    mayNot: [
      "@quarterdeck/keys/Rule",
      "@quarterdeck/contract/Api",
      "@quarterdeck/http-server/Routes",
      "@quarterdeck/harness/Fault",
      "@effect/platform-node",
      "jsonc-parser",
      "../../../harness/src/Fleet.ts"
    ]
  },
  "packages/cost/src": {
    may: ["effect", "node:sqlite", "node:worker_threads", "@quarterdeck/targeting/ClusterName"],
    mayNot: [
      "@quarterdeck/keys/Rule",
      "@quarterdeck/contract/Api",
      "@quarterdeck/http-server/Routes",
      "@quarterdeck/harness/Fault",
      "@effect/platform-node",
      "undici",
      "yaml",
      "../../cluster-fanout/src/Row.ts"
    ]
  },
  "packages/contract/src": {
    may: [
      "effect/http-api",
      "@quarterdeck/targeting/ClusterName",
      "@quarterdeck/keys/Rule",
      "@quarterdeck/cluster-fanout/Row"
    ],
    mayNot: [
      "@quarterdeck/targeting",
      "@quarterdeck/keys",
      "@quarterdeck/cluster-fanout",
      "@quarterdeck/http-server/Routes",
      "@quarterdeck/harness",
      "@effect/platform-node",
      "undici",
      "yaml",
      "node:crypto",
      "@quarterdeck/keys/internal/digest"
    ]
  },
  "packages/dashboard/src": {
    may: ["react", "@mantine/core", "@tanstack/react-query", "effect", "@quarterdeck/contract/Api", "../keys/Rule.ts"],
    mayNot: [
      "@quarterdeck/contract",
      "@quarterdeck/keys/Rule",
      "@quarterdeck/targeting/ClusterName",
      "@quarterdeck/http-server/Quarterdeck",
      "node:crypto",
      "yaml",
      "../../contract/src/Api.ts"
    ]
  },
  "packages/http-server/src": {
    may: [
      "effect",
      "@effect/platform-node",
      "yaml",
      "node:http",
      "@quarterdeck/targeting/Target",
      "@quarterdeck/keys",
      "@quarterdeck/keys/Rule",
      "@quarterdeck/cluster-fanout/Row",
      "@quarterdeck/contract/Api"
    ],
    mayNot: [
      "@quarterdeck/harness",
      "@quarterdeck/harness/Fault",
      "@quarterdeck/embedded-cluster/EmbeddedServer",
      "@quarterdeck/example-demo",
      "@quarterdeck/keys/internal/digest",
      "../../keys/src/Rule.ts"
    ]
  },
  "packages/embedded-cluster/src": {
    may: ["effect", "undici", "yaml", "@peculiar/x509", "node:https"],
    mayNot: [
      "@quarterdeck/harness",
      "@quarterdeck/harness/Fault",
      "@quarterdeck/targeting/ClusterName",
      "@quarterdeck/cluster-fanout/Row",
      "@effect/platform-node",
      "vitest",
      "../../../harness/src/Fleet.ts"
    ]
  },
  "harness/src": {
    may: ["effect", "undici", "yaml", "node:child_process", "vitest", "@quarterdeck/embedded-cluster/EmbeddedServer"],
    mayNot: [
      "../../packages/embedded-cluster/src/serving/EmbeddedServer.ts",
      "@quarterdeck/targeting",
      "@quarterdeck/targeting/ClusterName",
      "@quarterdeck/keys/Rule",
      "@quarterdeck/cluster-fanout/Row",
      "@quarterdeck/contract/Api",
      "@quarterdeck/http-server/Routes",
      "../../packages/targeting/src/ClusterName.ts"
    ]
  },
  "packages/newcomer/src": {
    may: ["effect", "node:fs", "undici"],
    mayNot: ["@quarterdeck/targeting/ClusterName", "@quarterdeck/http-server", "@quarterdeck/harness"]
  },
  // Folders of one package: each may import itself and the folders below it.
  "packages/keys/src/store/sqlite": { may: ["../../ApiKey.ts", "../Memory.ts"], mayNot: ["../../index.ts"] },
  "packages/cluster-fanout/src/kube": {
    may: ["./Breaker.ts", "./credential/Credentials.ts", "../registry/Cluster.ts"],
    mayNot: ["../projection/Row.ts", "../cache/ClusterCache.ts", "../list/FanOut.ts", "../index.ts"]
  },
  "packages/cluster-fanout/src/kube/credential": {
    may: ["../Transport.ts", "../../registry/Cluster.ts"],
    mayNot: ["../../cache/ClusterCache.ts", "../../list/FanOut.ts", "../../index.ts"]
  },
  "packages/cost/src/hour": { may: ["./Hour.ts"], mayNot: ["../savings/Savings.ts", "../sampler/Inventory.ts"] },
  "packages/cost/src/store/sqlite": {
    may: ["./CostReads.ts", "../CostStore.ts", "../../hour/Hour.ts"],
    mayNot: ["../../report/Rows.ts", "../../export/CostExport.ts", "../../sampler/HourClosing.ts"]
  },
  "packages/cost/src/report": {
    may: ["../store/CostStore.ts"],
    mayNot: ["../sampler/CostSampler.ts", "../export/CostExport.ts"]
  },
  "packages/http-server/src/settings": {
    may: ["./Settings.ts"],
    mayNot: ["../services/Registry.ts", "../http/Routes.ts", "../Launch.ts", "../cli/request/Input.ts", "../bin.ts"]
  },
  "packages/http-server/src/http/handlers": {
    may: ["../guard/Guard.ts", "../stream/Streams.ts", "../../services/Registry.ts"],
    mayNot: ["../Routes.ts", "../../Services.ts", "../../cli/request/Input.ts", "../../index.ts"]
  },
  "packages/http-server/src/http/guard": {
    may: ["./Origin.ts", "../request/HeaderLines.ts", "../lists/ListPage.ts", "../../limits/Loopback.ts"],
    mayNot: [
      "../hot/Moment.ts",
      "../handlers/PodHandlers.ts",
      "../Routes.ts",
      "../../Services.ts",
      "../../cli/request/Input.ts",
      "../../bin.ts"
    ]
  },
  "packages/http-server/src/http/request/part": {
    may: ["../Cookie.ts", "../../../limits/Loopback.ts"],
    mayNot: ["../../guard/Guard.ts", "../../Routes.ts", "../../../Services.ts", "../../../cli/keys/KeyCommand.ts"]
  },
  "packages/http-server/src/http": {
    may: ["./guard/Guard.ts", "./handlers/PodHandlers.ts", "../services/Registry.ts"],
    mayNot: ["../Services.ts", "../cli/request/Input.ts", "../index.ts"]
  },
  "packages/http-server/src/services": {
    may: ["../settings/Settings.ts", "./Registry.ts"],
    mayNot: ["../http/Routes.ts", "../http/request/Cookie.ts", "../Launch.ts"]
  },
  "packages/http-server/src/cli/cost": {
    may: ["../request/Input.ts", "../list/ListFlags.ts", "../../Launch.ts", "../keys/KeyCommand.ts"],
    mayNot: ["../audit/AuditCommand.ts", "../Cli.ts", "../../bin.ts", "../../index.ts"]
  },
  "packages/http-server/src/cli/print": {
    may: ["./PlainText.ts", "../../settings/Nearest.ts"],
    mayNot: ["../request/ApiClient.ts", "../cost/CostText.ts", "../Program.ts"]
  },
  "packages/embedded-cluster/src/core": {
    may: ["./Store.ts"],
    mayNot: ["../schemas/KindSchema.ts", "../serving/Api.ts"]
  },
  "packages/dashboard/src/api": {
    may: ["./Client.ts", "../format/Quantity.ts", "react"],
    mayNot: ["../feedback/Fact.tsx", "../clusterScope/useTarget.ts", "../signin/SignInPage.tsx", "../App.tsx"]
  },
  "packages/dashboard/src/workloads": {
    may: ["../chart/CostChart.tsx", "../frame/Caller.ts", "./WorkloadRows.tsx"],
    mayNot: ["../cost/CostPage.tsx", "../audit/AuditPage.tsx", "../App.tsx", "../main.tsx", "node:fs"]
  },
  "packages/benchmarks/src/cost": {
    may: ["../claim/Claim.ts", "../fleet/Control.ts"],
    mayNot: ["../soak/Answer.ts", "../costScale.ts"]
  },
  "packages/http-server/test/e2e": {
    may: ["@quarterdeck/harness/Fault", "@quarterdeck/keys/Rule", "../../src/Routes.ts", "node:http"],
    mayNot: ["@quarterdeck/keys/internal/digest", "../../../keys/src/Rule.ts", "../../../../harness/src/Fleet.ts"]
  },
  "examples/demo/src": {
    may: ["@quarterdeck/harness/Fault", "@quarterdeck/http-server/Quarterdeck", "effect"],
    mayNot: ["@quarterdeck/keys/internal/digest", "../../../packages/keys/src/Rule.ts"]
  }
}
