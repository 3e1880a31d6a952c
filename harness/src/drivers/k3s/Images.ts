/** Which image a cluster runs, of those that this machine's engine has. */
import { Effect, Option, Schema } from "effect"
import { KUBERNETES_VERSION } from "../control-plane/assets/Programs.ts"
import * as Version from "../control-plane/assets/Version.ts"
import { setting } from "../../machine/Machine.ts"
import { ask, type EngineError } from "./DockerEngine.ts"
import { SHAPED_LABEL } from "./Labels.ts"

/** What is run when nobody names an image. */
export const DEFAULT_IMAGE = "rancher/k3s:v1.36.2-k3s1"

/** The image that the harness builds for places without a registry. */
export const LOCAL_IMAGE = `quarterdeck/k3s-shaped:${KUBERNETES_VERSION}`

/** Names the image of a test run: `QUARTERDECK_K3S_IMAGE=rancher/k3s:v1.35.1-k3s1`. */
export const IMAGE_VARIABLE = "QUARTERDECK_K3S_IMAGE"

/** The command that builds the image, as the user would type it: from a checkout, or from an installed package. */
export const IMAGE_COMMAND = import.meta.url.endsWith(".ts")
  ? "npx pnpm@12 assets image"
  : "npx @quarterdeck/harness assets image"

export interface Image {
  readonly name: string
  /** Whether the harness built it: then it needs no privileges, and has no kubelet and no nodes. */
  readonly shaped: boolean
  /** The release of Kubernetes in it, where its name tells. */
  readonly release: Option.Option<Version.Release>
  /** What the image says it was built from, if the harness built it. */
  readonly builtFrom: string | undefined
}

const Config = Schema.NullOr(
  Schema.Struct({ Labels: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String))) })
)
const Inspected = Schema.Struct({ Config: Schema.optionalKey(Config) })
const Listed = Schema.Array(Schema.Struct({ RepoTags: Schema.NullOr(Schema.Array(Schema.String)) }))

/** Finds an image that the engine has; none when it would have to be fetched. */
export const find = (name: string): Effect.Effect<Option.Option<Image>, EngineError> =>
  ask(Inspected)({ method: "GET", path: `/images/${name}/json` }).pipe(
    Effect.map(({ Config }) => {
      const builtFrom = Config?.Labels?.[SHAPED_LABEL]
      return Option.some({ name, shaped: builtFrom !== undefined, release: releaseOf(name), builtFrom })
    }),
    Effect.catchIf(
      (error) => error._tag === "EngineRefused" && error.status === 404,
      () => Effect.succeed(Option.none())
    )
  )

/** An image to run, or one sentence that says what would bring it. */
export type Choice =
  | { readonly _tag: "Chosen"; readonly image: Image }
  | { readonly _tag: "Absent"; readonly remedy: string }

/**
 * Chooses the image: the one that is asked for, else the one that `QUARTERDECK_K3S_IMAGE` names, else the default if
 * the engine has it, else the one that the harness built.
 *
 * With a `version` (`1.33`, `v1.33.2`) it is the newest fitting tag, among those that the engine has, of the
 * repository that it would be otherwise. **Limits** fetches nothing.
 */
export const choose = Effect.fnUntraced(function* (asked: {
  readonly image?: string | undefined
  readonly version?: string | undefined
}): Effect.fn.Return<Choice, EngineError> {
  const named = asked.image ?? (yield* setting(IMAGE_VARIABLE))
  if (asked.version !== undefined) return yield* chooseVersion(asked.version, named)
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
  const tags = (yield* ask(Listed)({ method: "GET", path: "/images/json" })).flatMap(({ RepoTags }) => RepoTags ?? [])
  for (const repository of repositories) {
    const fitting = tags
      .filter((tag) => repositoryOf(tag) === repository)
      .flatMap((name) => Option.toArray(releaseOf(name)).map((release) => ({ name, release })))
      .filter(({ release }) => Option.exists(wanted, (asked) => Version.includes(asked, release)))
      .toSorted((left, right) => Version.compare(left.release, right.release))
      .at(-1)
    const found = fitting === undefined ? Option.none<Image>() : yield* find(fitting.name)
    if (Option.isSome(found)) return { _tag: "Chosen", image: found.value }
  }
  const full = Option.match(wanted, {
    onNone: () => version,
    onSome: (asked) => (Version.isRelease(asked) ? Version.print(asked) : `${Version.print(asked)}.<patch>`)
  })
  return { _tag: "Absent", remedy: remedyFor(`${repositories[0]}:${full}-k3s1`) }
})

const remedyFor = (name: string): string =>
  repositoryOf(name) === repositoryOf(LOCAL_IMAGE)
    ? `the image ${name} is not here; build it by \`${IMAGE_COMMAND}\``
    : `the image ${name} is not here; fetch it by \`docker pull ${name}\`, or build one that needs no registry by `
      + `\`${IMAGE_COMMAND}\` and set ${IMAGE_VARIABLE}=${LOCAL_IMAGE}`

const TAGGED = /^(.+?)(?::([^:/@]+))?(?:@.*)?$/

const repositoryOf = (name: string): string => TAGGED.exec(name)?.[1] ?? name

/** Reads `v1.36.2` out of `rancher/k3s:v1.36.2-k3s1`. */
const releaseOf = (name: string): Option.Option<Version.Release> =>
  Version.parseRelease((TAGGED.exec(name)?.[2] ?? "").replace(/[-+].*$/, ""))
