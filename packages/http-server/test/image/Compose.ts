/**
 * Reads the compose file of `examples/standalone`, and says it in options of `docker run`: engines have no compose of their
 * own.
 */
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

const EXAMPLE = new URL("../../../../examples/standalone/", import.meta.url)

/** Every key that the file has; one that is not here fails the tests, so that none is left untried. */
const Service = Schema.Struct({
  image: Schema.String,
  build: Schema.String,
  command: Schema.Array(Schema.String),
  ports: Schema.Array(Schema.String),
  volumes: Schema.Array(Schema.String),
  healthcheck: Schema.Struct({
    test: Schema.TupleWithRest(Schema.Tuple([Schema.Literal("CMD")]), [Schema.String]),
    interval: Schema.String,
    timeout: Schema.String,
    start_period: Schema.String
  }),
  restart: Schema.Literals(["no", "always", "on-failure", "unless-stopped"]),
  stop_grace_period: Schema.String,
  read_only: Schema.Boolean,
  cap_drop: Schema.Array(Schema.String),
  security_opt: Schema.Array(Schema.String)
})

const File = Schema.Struct({
  name: Schema.String,
  services: Schema.Struct({ quarterdeck: Service }),
  volumes: Schema.Record(Schema.String, Schema.Struct({}))
})

export const read = Effect.gen(function* () {
  const text = yield* Effect.promise(() => readFile(new URL("compose.yaml", EXAMPLE), "utf8"))
  const { services, volumes } = yield* Schema.decodeUnknownEffect(File, { onExcessProperty: "error" })(parse(text))
  return { service: services.quarterdeck, volumes: Object.keys(volumes) }
})

/**
 * Says a service in options of `docker run`.
 *
 * **Shape** `places` says what stands in for a source of its volumes; others are the example's own. Its port is published
 * under a free number.
 */
export const optionsOf = (service: typeof Service.Type, places: Readonly<Record<string, string>>): Array<string> => [
  ...service.volumes.map((volume) => {
    const [source = "", ...rest] = volume.split(":")
    const place = places[source] ?? fileURLToPath(new URL(source, EXAMPLE))
    return `--volume=${[place, ...rest].join(":")}`
  }),
  ...service.ports.map((port) => `--publish=${port.replace(/:\d+:/, "::")}`),
  `--restart=${service.restart}`,
  `--stop-timeout=${Number.parseInt(service.stop_grace_period, 10)}`,
  ...(service.read_only ? ["--read-only"] : []),
  ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
  ...service.security_opt.map((option) => `--security-opt=${option}`)
]
