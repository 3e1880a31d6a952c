/** The chart, rendered by the real helm. */
import { Effect, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { parseAllDocuments } from "yaml"
import { type Ended, run, succeed } from "./Programs.ts"

/** The folder of the chart. */
export const CHART = fileURLToPath(new URL("..", import.meta.url))

/** Where the tests and the docs install it. */
export const NAMESPACE = "quarterdeck"

const templateArgs = (release: string) => ["template", release, CHART, "--namespace", NAMESPACE, "--values", "-"]

/** Renders the chart with a text of values. */
export const template = (values: string, release = "quarterdeck"): Effect.Effect<string> =>
  succeed("helm", templateArgs(release), values)

/** Renders the chart with values that may be refused. */
export const tryTemplate = (values: string): Effect.Effect<Ended> => run("helm", templateArgs("quarterdeck"), values)

const Manifest = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.String,
  metadata: Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
})

/** An object of Kubernetes, with all that its text says. */
export const AnyManifest = Schema.StructWithRest(Manifest, [Schema.Record(Schema.String, Schema.Unknown)])
export type AnyManifest = typeof AnyManifest.Type

const decode = Schema.decodeUnknownSync(Schema.Array(AnyManifest))

/** The objects of a rendered text. */
export const manifests = (text: string): ReadonlyArray<AnyManifest> =>
  decode(
    parseAllDocuments(text).flatMap((document) => {
      const object: unknown = document.toJS()
      return object === null ? [] : [object]
    })
  )

/** The objects of a rendered text as texts, each with the comment that says where it comes from. */
const objectsIn = (text: string): ReadonlyArray<string> => text.split(/^---\n/m).filter((part) => part.trim() !== "")

/** The objects of one rendered text that another has not. */
export const beyond = (text: string, other: string): string => {
  const known = new Set(objectsIn(other))
  return objectsIn(text)
    .filter((object) => !known.has(object))
    .join("---\n")
}
