/** What docs/monitoring gives to Prometheus and Grafana, and what of it the docs name. */
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Path, Schema } from "effect"
import { parse } from "yaml"

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) })
  )
})

const Dashboard = Schema.Struct({
  panels: Schema.Array(
    Schema.Struct({
      title: Schema.String,
      targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String })))
    })
  ),
  templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ definition: Schema.optionalKey(Schema.String) })) })
})

/** The repository's own files, from its root. */
export const fileOf = Effect.fnUntraced(function* (name: string) {
  const path = yield* Path.Path
  return path.join(import.meta.dirname, "../../../..", name)
}, Effect.provide(NodeServices.layer))

const textOf = Effect.fnUntraced(function* (name: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(yield* fileOf(name))
}, Effect.provide(NodeServices.layer))

/** A query, and where it stands. */
export interface Query {
  readonly of: string
  readonly expr: string
}

export const alerts = Effect.gen(function* () {
  const { groups } = yield* Schema.decodeUnknownEffect(Rules)(parse(yield* textOf("docs/monitoring/alerts.yaml")))
  return groups.flatMap(({ rules }) => rules.map(({ alert, expr }): Query => ({ of: alert, expr })))
})

export const panels = Effect.gen(function* () {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Dashboard))
  const { panels, templating } = yield* decode(yield* textOf("docs/monitoring/dashboard.json"))
  const ofPanels = panels.flatMap(({ targets = [], title }) => targets.map(({ expr }): Query => ({ of: title, expr })))
  return [
    ...ofPanels,
    ...templating.list.flatMap(({ definition }) =>
      definition === undefined ? [] : [{ of: "variable", expr: definition }]
    )
  ]
})

/** The metrics that a query reads. */
export const metricsOf = ({ expr }: Query): ReadonlyArray<string> =>
  Array.from(expr.matchAll(/\bquarterdeck_[a-z_]+/g), ([name]) => name)

/** The metrics of the reference, each by a row of a table. */
export const documented = Effect.gen(function* () {
  const pages = yield* Effect.forEach(["docs/tasks/run-the-server.md", "docs/tasks/audit.md"], textOf)
  return new Set(
    pages.flatMap((page) => Array.from(page.matchAll(/^\| `(quarterdeck_[a-z_]+)` \|/gm), ([, name = ""]) => name))
  )
})

/** The alerts that the task page explains. */
export const explained = Effect.map(
  textOf("docs/tasks/watch-the-service.md"),
  (page) => new Set(Array.from(page.matchAll(/^\| `(Quarterdeck[A-Za-z]+)` \|/gm), ([, name = ""]) => name))
)
