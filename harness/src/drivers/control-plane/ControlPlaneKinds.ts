/**
 * Waits until an API server serves the custom kinds in its store.
 *
 * The server follows its store with a delay: discovery shows an added or removed definition some milliseconds later.
 */
import { Clock, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { Agent, request } from "undici"
import { ClusterNotReady } from "../../machine/HarnessError.ts"
import { THROUGH_CACHE } from "../../state/WatchCache.ts"
import type { ProbeOptions } from "./ServerProbe.ts"

/** A custom kind. **Shape** `versions` are the versions to serve, empty if the kind must be gone. */
export interface ExpectedKind {
  readonly group: string
  readonly plural: string
  readonly versions: ReadonlyArray<string>
}

const EVERY = "20 millis"
const WITHIN = "20 seconds"
const ONE_CALL_MS = 5_000

const Definition = Schema.fromJsonString(
  Schema.Struct({
    spec: Schema.Struct({
      group: Schema.String,
      names: Schema.Struct({ plural: Schema.String }),
      versions: Schema.Array(Schema.Struct({ name: Schema.String, served: Schema.Boolean }))
    }),
    status: Schema.optionalKey(
      Schema.Struct({
        conditions: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, status: Schema.String })))
      })
    )
  })
)
const decodeDefinition = Schema.decodeUnknownOption(Definition)
const Group = Schema.fromJsonString(
  Schema.Struct({ versions: Schema.Array(Schema.Struct({ version: Schema.String })) })
)
const decodeGroup = Schema.decodeUnknownPromise(Group)
const Groups = Schema.fromJsonString(
  Schema.Struct({
    groups: Schema.Array(
      Schema.Struct({ name: Schema.String, versions: Schema.Array(Schema.Struct({ version: Schema.String })) })
    )
  })
)
const decodeGroups = Schema.decodeUnknownPromise(Groups)
const Resources = Schema.fromJsonString(
  Schema.Struct({ resources: Schema.Array(Schema.Struct({ name: Schema.String })) })
)
const decodeResources = Schema.decodeUnknownPromise(Resources)

/** Returns the kind of a stored custom resource definition (JSON). None if the definition is not established. */
export const expected = (json: string): Option.Option<ExpectedKind> =>
  Option.flatMap(decodeDefinition(json), ({ spec, status }) =>
    status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true
      ? Option.some({
          group: spec.group,
          plural: spec.names.plural,
          versions: spec.versions.filter(({ served }) => served).map(({ name }) => name)
        })
      : Option.none()
  )

/** Returns the expected kind for a removed custom resource definition, from its name `<plural>.<group>`. */
export const absent = (name: string): ExpectedKind => ({
  plural: name.slice(0, name.indexOf(".")),
  group: name.slice(name.indexOf(".") + 1),
  versions: []
})

/** Waits until discovery matches the expected kinds. **Errors** `ClusterNotReady` after 20 s. */
export const served = (
  options: ProbeOptions,
  kinds: ReadonlyArray<ExpectedKind>
): Effect.Effect<void, ClusterNotReady> =>
  Effect.scoped(
    Effect.gen(function* () {
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ connections: 1, connect: { ca: options.caPem } })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const started = yield* Clock.currentTimeMillis
      let last = "none yet"
      yield* Effect.tryPromise({
        try: (signal) => firstDifference((path) => getPath(agent, options, path, signal), kinds),
        catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
      }).pipe(
        Effect.flatMap((problem) => (problem === undefined ? Effect.void : Effect.fail(problem))),
        Effect.tapError((problem) => Effect.sync(() => (last = problem))),
        Effect.retry(Schedule.spaced(EVERY)),
        Effect.timeout(WITHIN),
        Effect.catch(() =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.fail(new ClusterNotReady({ waitedMs: Math.round(now - started), last, lastLines: [] }))
          )
        )
      )
    })
  )

type Get = (path: string) => Promise<{ readonly status: number; readonly text: string }>

const firstDifference = async (get: Get, kinds: ReadonlyArray<ExpectedKind>): Promise<string | undefined> => {
  // Groups and their resources are served by two servers with separate delays.
  const { groups } = await decodeGroups((await get("/apis")).text)
  const versionsOf = new Map(groups.map(({ name, versions }) => [name, versions.map(({ version }) => version)]))
  for (const kind of kinds) {
    const problem = await difference(get, kind, versionsOf.get(kind.group) ?? [])
    if (problem !== undefined) return problem
  }
  return undefined
}

/**
 * Returns a description of the first difference from the expected kind, or undefined if there is none. `named` are the
 * versions in `/apis`.
 */
const difference = async (get: Get, kind: ExpectedKind, named: ReadonlyArray<string>): Promise<string | undefined> => {
  const { group, plural } = kind
  const root = await get(`/apis/${group}`)
  if (root.status === 404) {
    if (kind.versions.length > 0) return `no group ${group}`
    return named.length === 0 ? undefined : `still ${group} in /apis`
  }
  const { versions } = await decodeGroup(root.text)
  for (const version of new Set([...versions.map(({ version }) => version), ...kind.versions])) {
    if (kind.versions.includes(version) && !named.includes(version)) return `no ${group}/${version} in /apis`
    const list = await get(`/apis/${group}/${version}`)
    if (list.status === 404) return `no ${group}/${version}`
    const lists =
      list.status === 200 && (await decodeResources(list.text)).resources.some(({ name }) => name === plural)
    if (lists !== kind.versions.includes(version)) {
      return `${lists ? "still " : "no "}${plural} in ${group}/${version}`
    }
    if (!lists) continue
    const { status } = await get(`/apis/${group}/${version}/${plural}?${THROUGH_CACHE}`)
    if (status !== 200) return `status ${status} for ${plural} in ${group}/${version}`
  }
  return undefined
}

const getPath = async (agent: Agent, options: ProbeOptions, path: string, signal: AbortSignal) => {
  const { statusCode, body } = await request(`${options.server}${path}`, {
    dispatcher: agent,
    signal,
    headersTimeout: ONE_CALL_MS,
    headers: { authorization: `Bearer ${Redacted.value(options.token)}`, accept: "application/json" }
  })
  return { status: statusCode, text: await body.text() }
}
