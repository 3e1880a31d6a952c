/** A real Prometheus for one test, and questions to it. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { eventually } from "../../../src/machine/Eventually.ts"
import * as Ports from "@quarterdeck/embedded-cluster/Ports"
import { type Needed, pathOf, running } from "./Programs.ts"

const Answer = Schema.Struct({
  data: Schema.Struct({
    result: Schema.Array(
      Schema.Struct({
        metric: Schema.Record(Schema.String, Schema.String),
        value: Schema.Tuple([Schema.Finite, Schema.String])
      })
    )
  })
})
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

export interface Vector {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Starts Prometheus on the data in `directory`; it scrapes the targets, `host:port/path`, each second. */
export const start = Effect.fnUntraced(function* (program: Needed, directory: string, targets: ReadonlyArray<URL>) {
  const port = yield* Ports.reserve
  const config = join(directory, "prometheus.yml")
  const jobs = targets.map((target, index) => ({
    job_name: `job-${index}`,
    scrape_interval: "1s",
    scrape_timeout: "1s",
    metrics_path: target.pathname,
    static_configs: [{ targets: [target.host] }]
  }))
  yield* Effect.promise(() => writeFile(config, JSON.stringify({ scrape_configs: jobs })))
  yield* running(yield* pathOf(program), [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    "--storage.tsdb.retention.time=10y",
    `--web.listen-address=127.0.0.1:${port}`
  ])
  const server = `http://127.0.0.1:${port}`
  const ready = Effect.promise(() =>
    fetch(`${server}/-/ready`)
      .then(({ status }) => status)
      .catch(() => 0)
  )
  yield* eventually("Prometheus is ready", ready, (status) => status === 200, { within: "60 seconds" })
  return server
})

/** Asks for an instant vector, at an instant in milliseconds. */
export const query = Effect.fnUntraced(function* (server: string, promql: string, atMs: number) {
  const asked = new URLSearchParams({ query: promql, time: String(atMs / 1_000) })
  const body: unknown = yield* Effect.promise(() =>
    fetch(`${server}/api/v1/query?${asked.toString()}`).then((reply) => reply.json())
  )
  const { data } = yield* decodeAnswer(body).pipe(
    Effect.mapError(() => new Error(`${promql} was refused: ${JSON.stringify(body)}`))
  )
  return data.result.map(({ metric, value }): Vector => ({ labels: metric, value: Number(value[1]) }))
})
