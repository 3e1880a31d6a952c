/** Chooses the image of a cluster among the engine's images. */
import { Effect, Option, Schema } from "effect"
import { KUBERNETES_VERSION } from "../control-plane/assets/Programs.ts"
import * as Version from "../control-plane/assets/Version.ts"
import { setting } from "../../machine/Machine.ts"
import { callJson, type EngineError } from "./DockerEngine.ts"
import { SHAPED_LABEL } from "./Labels.ts"

/** The default image. */
export const DEFAULT_IMAGE = "rancher/k3s:v1.36.2-k3s1"

/** The image that the harness builds, for machines without a registry. */
export const LOCAL_IMAGE = `quarterdeck/k3s-shaped:${KUBERNETES_VERSION}`

/** Environment variable with the image of a test run: `QUARTERDECK_K3S_IMAGE=rancher/k3s:v1.35.1-k3s1`. */
export const IMAGE_VARIABLE = "QUARTERDECK_K3S_IMAGE"

/** Command that builds the image, in a checkout or with an installed package. */
export const IMAGE_COMMAND = import.meta.url.endsWith(".ts")
  ? "npx pnpm@12 assets image"
  : "npx @quarterdeck/harness assets image"

export interface Image {
  readonly name: string
  /** True if the harness built the image. Such an image needs no privileges, and has no kubelet and no nodes. */
  readonly shaped: boolean
  /** Kubernetes release in the image, if its tag names one. */
  readonly release: Option.Option<Version.Release>
  /** Digest of the files that the image was built from, if the harness built it. */
  readonly builtFrom: string | undefined
}

const Config = Schema.NullOr(
  Schema.Struct({ Labels: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String))) })
)
const Inspected = Schema.Struct({ Config: Schema.optionalKey(Config) })
const Listed = Schema.Array(Schema.Struct({ RepoTags: Schema.NullOr(Schema.Array(Schema.String)) }))

/** Returns an image that the engine has. None if it would have to be pulled. */
export const find = (name: string): Effect.Effect<Option.Option<Image>, EngineError> =>
  callJson(Inspected)({ method: "GET", path: `/images/${name}/json` }).pipe(
    Effect.map(({ Config }) => {
      const builtFrom = Config?.Labels?.[SHAPED_LABEL]
      return Option.some({ name, shaped: builtFrom !== undefined, release: releaseOf(name), builtFrom })
    }),
    Effect.catchIf(
      (error) => error._tag === "EngineRefused" && error.status === 404,
      () => Effect.succeed(Option.none())
    )
  )

/** An image to run, or one sentence that says how to get one. */
export type Choice =
  | { readonly _tag: "Chosen"; readonly image: Image }
  | { readonly _tag: "Absent"; readonly remedy: string }

/**
 * Chooses the image: the requested one, the one in `QUARTERDECK_K3S_IMAGE`, the default if the engine has it, or the
 * one that the harness built.
 *
 * With a `version` (`1.33`, `v1.33.2`) it returns the newest matching tag of that image's repository that the engine
 * has. **Limits** pulls nothing.
 */
export const choose = Effect.fnUntraced(function* (requested: {
  readonly image?: string | undefined
  readonly version?: string | undefined
}): Effect.fn.Return<Choice, EngineError> {
  const named = requested.image ?? (yield* setting(IMAGE_VARIABLE))
  if (requested.version !== undefined) return yield* chooseVersion(requested.version, named)
  const candidates = named === undefined ? [DEFAULT_IMAGE, LOCAL_IMAGE] : [named]
  for (const candidate of candidates) {
    const found = yield* find(candidate)
    if (Option.isSome(found)) return { _tag: "Chosen", image: found.value }
  }
  return { _tag: "Absent", remedy: remedyFor(named ?? DEFAULT_IMAGE) }
})

const chooseVersion = Effect.fnUntraced(function* (
  version: string,
  named: string | undefined
): Effect.fn.Return<Choice, EngineError> {
  const repositories = (named === undefined ? [DEFAULT_IMAGE, LOCAL_IMAGE] : [named]).map(repositoryOf)
  const wanted = Version.parse(version)
  const tags = (yield* callJson(Listed)({ method: "GET", path: "/images/json" })).flatMap(
    ({ RepoTags }) => RepoTags ?? []
  )
  for (const repository of repositories) {
    const fitting = tags
      .filter((tag) => repositoryOf(tag) === repository)
      .flatMap((name) => Option.toArray(releaseOf(name)).map((release) => ({ name, release })))
      .filter(({ release }) => Option.exists(wanted, (requested) => Version.includes(requested, release)))
      .toSorted((left, right) => Version.compare(left.release, right.release))
      .at(-1)
    const found = fitting === undefined ? Option.none<Image>() : yield* find(fitting.name)
    if (Option.isSome(found)) return { _tag: "Chosen", image: found.value }
  }
  const full = Option.match(wanted, {
    onNone: () => version,
    onSome: (requested) =>
      Version.isRelease(requested) ? Version.print(requested) : `${Version.print(requested)}.<patch>`
  })
  return { _tag: "Absent", remedy: remedyFor(`${repositories[0]}:${full}-k3s1`) }
})

const remedyFor = (name: string): string =>
  repositoryOf(name) === repositoryOf(LOCAL_IMAGE)
    ? `the image ${name} is missing; build it with \`${IMAGE_COMMAND}\``
    : `the image ${name} is missing; pull it with \`docker pull ${name}\`, or build one that needs no registry with `
      + `\`${IMAGE_COMMAND}\` and set ${IMAGE_VARIABLE}=${LOCAL_IMAGE}`

const TAGGED = /^(.+?)(?::([^:/@]+))?(?:@.*)?$/

const repositoryOf = (name: string): string => TAGGED.exec(name)?.[1] ?? name

/** Extracts `v1.36.2` from `rancher/k3s:v1.36.2-k3s1`. */
const releaseOf = (name: string): Option.Option<Version.Release> =>
  Version.parseRelease((TAGGED.exec(name)?.[2] ?? "").replace(/[-+].*$/, ""))
