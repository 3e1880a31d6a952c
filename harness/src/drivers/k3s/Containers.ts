/** Containers and networks of the Docker engine. */
import { Effect, Schema } from "effect"
import { callJson, call, type EngineError, unless } from "./DockerEngine.ts"

const Labels = Schema.NullOr(Schema.Record(Schema.String, Schema.String))

const Listed = Schema.Struct({ Id: Schema.String, Labels })
const ListedNetwork = Schema.Struct({ Id: Schema.String, Name: Schema.String, Labels })
const Inspected = Schema.Struct({
  State: Schema.Struct({
    Status: Schema.String,
    ExitCode: Schema.Int,
    OOMKilled: Schema.Boolean,
    Error: Schema.String,
    StartedAt: Schema.String
  })
})
const Info = Schema.Struct({
  ServerVersion: Schema.String,
  /** Absent before Docker 20.10. */
  CgroupVersion: Schema.optionalKey(Schema.String)
})

/** State of a container, as the engine reports it. */
export type ContainerState = (typeof Inspected.Type)["State"]

/** A container or a network with its labels. */
export interface Labelled {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
}

/** Seconds that a container has to end after SIGTERM. */
const STOP_SECONDS = "10"

const withLabel = (label: string) => ({ filters: JSON.stringify({ label: [label] }) })
const at = (id: string, action = "") => `/containers/${encodeURIComponent(id)}${action}`

/** Information about the engine. */
export const info: Effect.Effect<typeof Info.Type, EngineError> = callJson(Info)({
  method: "GET",
  path: "/info",
  withinMs: 10_000
})

/** Returns the containers with a label, in any state. `label` is a name or `name=value`. */
export const list = (label: string): Effect.Effect<ReadonlyArray<Labelled>, EngineError> =>
  Effect.map(
    callJson(Schema.Array(Listed))({
      method: "GET",
      path: "/containers/json",
      query: { all: "1", ...withLabel(label) }
    }),
    (found) => found.map(({ Id, Labels }) => ({ id: Id, labels: Labels ?? {} }))
  )

/** Returns the networks with a label. */
export const listNetworks = (
  label: string
): Effect.Effect<ReadonlyArray<Labelled & { readonly name: string }>, EngineError> =>
  Effect.map(
    callJson(Schema.Array(ListedNetwork))({ method: "GET", path: "/networks", query: withLabel(label) }),
    (found) => found.map(({ Id, Labels, Name }) => ({ id: Id, name: Name, labels: Labels ?? {} }))
  )

/** Creates a bridge network and returns its id. */
export const createNetwork = (
  name: string,
  labels: Readonly<Record<string, string>>
): Effect.Effect<string, EngineError> =>
  Effect.map(
    callJson(Schema.Struct({ Id: Schema.String }))({
      method: "POST",
      path: "/networks/create",
      body: { Name: name, Driver: "bridge", CheckDuplicate: true, Labels: labels }
    }),
    ({ Id }) => Id
  )

const Gateways = Schema.Struct({
  IPAM: Schema.Struct({ Config: Schema.Array(Schema.Struct({ Gateway: Schema.optionalKey(Schema.String) })) })
})

/** Returns the address of the engine's machine for containers on a network. */
export const gatewayOf = (network: string): Effect.Effect<string | undefined, EngineError> =>
  Effect.map(
    callJson(Gateways)({ method: "GET", path: `/networks/${network}` }),
    ({ IPAM }) => IPAM.Config.find(({ Gateway }) => Gateway !== undefined)?.Gateway
  )

/** Removes a network. A missing network or one in use is not an error. */
export const removeNetwork = (id: string): Effect.Effect<void, EngineError> =>
  call({ method: "DELETE", path: `/networks/${id}` }).pipe(Effect.asVoid, Effect.catch(unless(403, 404)))

export const stateOf = (id: string): Effect.Effect<ContainerState, EngineError> =>
  Effect.map(callJson(Inspected)({ method: "GET", path: at(id, "/json") }), ({ State }) => State)

/** Starts an existing container. */
export const start = (id: string): Effect.Effect<void, EngineError> =>
  Effect.asVoid(call({ method: "POST", path: at(id, "/start") }))

/** Stops a container: sends SIGTERM, and SIGKILL after 10 s. */
export const stop = (id: string): Effect.Effect<void, EngineError> =>
  Effect.asVoid(call({ method: "POST", path: at(id, "/stop"), query: { t: STOP_SECONDS } }))

/** Kills a container. A container that is not running (409) is not an error. */
export const kill = (id: string): Effect.Effect<void, EngineError> =>
  call({ method: "POST", path: at(id, "/kill"), query: { signal: "KILL" } }).pipe(
    Effect.asVoid,
    Effect.catch(unless(409))
  )

/** Removes a container with its volumes, running or not. A removal in progress (409) is not an error. */
export const remove = (id: string): Effect.Effect<void, EngineError> =>
  call({ method: "DELETE", path: at(id), query: { force: "1", v: "1" } }).pipe(
    Effect.asVoid,
    Effect.catch(unless(404, 409))
  )

/** Returns the end of a container's log. Empty if the engine keeps no log. */
export const logTail = (id: string, lines: number): Effect.Effect<string, EngineError> =>
  Effect.map(
    call({
      method: "GET",
      path: at(id, "/logs"),
      query: { stdout: "1", stderr: "1", tail: String(lines) }
    }),
    demultiplexed
  )

const HEADER_BYTES = 8

/**
 * Joins the frames of a log without a terminal: stream, three zero bytes, length, text.
 *
 * **Source** Docker Engine API, "Attach to a container", stream format.
 */
export const demultiplexed = (frames: Buffer): string => {
  const texts: Array<string> = []
  let offset = 0
  while (offset + HEADER_BYTES <= frames.length) {
    const end = offset + HEADER_BYTES + frames.readUInt32BE(offset + 4)
    texts.push(frames.toString("utf8", offset + HEADER_BYTES, Math.min(end, frames.length)))
    offset = end
  }
  return texts.join("")
}
