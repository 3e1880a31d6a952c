/**
 * The forms in which clients can request objects: whole, as table rows, or metadata only.
 *
 * **Source** Kubernetes, "API concepts: Resource representations" and "Receiving resources as Tables".
 */
import { Result } from "effect"
import { type JsonObject, objectAt } from "../core/Json.ts"
import { mediaRanges } from "../core/MediaRanges.ts"
import { apiVersionOf, listKindOf, type Resource } from "../core/Resource.ts"
import { badRequest, type Failure, type Outcome } from "../core/Status.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as Conversion from "../schemas/Conversion.ts"
import * as Table from "./Table.ts"

/**
 * Form of the objects in a reply.
 *
 * **Shape** `groupVersion` is the version of the table or partial metadata that the client requests.
 */
export type Representation =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Table"; readonly groupVersion: string; readonly include: Table.Include }
  | { readonly _tag: "Partial"; readonly groupVersion: string }

const whole: Representation = { _tag: "Whole" }

const NOT_ACCEPTABLE: Failure = {
  code: 406,
  reason: "NotAcceptable",
  message: "Accept must contain application/json or application/yaml"
}

const NO_STREAM: Failure = {
  ...NOT_ACCEPTABLE,
  message: "Accept must contain application/json, the only format of a watch"
}

export const YAML_TYPE = "application/yaml"
const JSON_TYPES = new Set(["application/json", "application/*", "*/*"])

/**
 * Returns whether an Accept-Encoding header asks for gzip. **Shape** like the real server, accepts only `gzip`
 * without a weight.
 */
export const takesGzip = (encodings: string | undefined): boolean =>
  (encodings ?? "").split(",").some((one) => one.trim() === "gzip")

/**
 * Chooses the first form in the Accept header that the server supports.
 *
 * **Shape** JSON and YAML have the same content. **Errors** 406 if no form is supported: the server writes JSON and
 * YAML, and only JSON in a watch.
 */
export const negotiate = (
  accept: string | undefined,
  query: URLSearchParams,
  reply: "object" | "list" | "stream" = "object"
): Outcome<Representation> => {
  const ranges = mediaRanges(accept)
  if (ranges.length === 0) return Result.succeed(whole)
  for (const { parameters, type } of ranges) {
    if (!JSON_TYPES.has(type) && (type !== YAML_TYPE || reply === "stream")) continue
    const as = parameters.get("as")
    if (as === undefined) return Result.succeed(whole)
    const version = parameters.get("v") ?? ""
    if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) continue
    const groupVersion = `meta.k8s.io/${version}`
    if (as === "Table") return Result.map(includeFrom(query), (include) => ({ _tag: "Table", groupVersion, include }))
    if (as === (reply === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata")) {
      return Result.succeed({ _tag: "Partial", groupVersion })
    }
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return Result.fail(otherShape(as))
  }
  return Result.fail(reply === "stream" ? NO_STREAM : NOT_ACCEPTABLE)
}

const otherShape = (as: string): Failure => ({
  code: 406,
  reason: "NotAcceptable",
  message: `the reply is ${as.endsWith("List") ? "not a list" : "a list"}: Accept must not ask for ${as}`
})

const includeFrom = (query: URLSearchParams): Outcome<Table.Include> => {
  const include = query.get("includeObject") ?? ""
  if (include === "") return Result.succeed("Metadata")
  if (include === "None" || include === "Metadata" || include === "Object") return Result.succeed(include)
  return Result.fail(badRequest(`includeObject must be None, Metadata or Object, not ${JSON.stringify(include)}`))
}

/** State for rendering objects of one resource in one form. */
export interface Renderer {
  readonly resource: Resource
  readonly representation: Representation
  readonly nowMs: () => number
}

/** Renders one object as the reply to a request for it. */
export const one = (renderer: Renderer, stored: Stored): string => {
  const { representation, resource } = renderer
  switch (representation._tag) {
    case "Whole":
      return wholeText(resource, bodyOf(resource, stored))
    case "Partial":
      return JSON.stringify(partial(representation.groupVersion, read(stored)))
    case "Table":
      return `${tableHead(renderer, representation.groupVersion, { resourceVersion: String(stored.revision) }, true)}${rowText(
        renderer,
        representation,
        stored
      )}]}`
  }
}

/** Renders the object of a watch event. **Shape** only the first table of a watch has column definitions. */
export const inEvent = (renderer: Renderer, stored: Stored, first: boolean): string => {
  const { representation } = renderer
  if (representation._tag !== "Table") return one(renderer, stored)
  return `${tableHead(renderer, representation.groupVersion, { resourceVersion: String(stored.revision) }, first)}${rowText(
    renderer,
    representation,
    stored
  )}]}`
}

/** Renders the object of a bookmark event: its resource version and annotations. */
export const bookmark = (
  renderer: Renderer,
  revision: number,
  annotations: JsonObject | undefined,
  first: boolean
): string => {
  const { representation, resource } = renderer
  const metadata: JsonObject = {
    resourceVersion: String(revision),
    ...(annotations === undefined ? {} : { annotations })
  }
  switch (representation._tag) {
    case "Whole":
      return JSON.stringify({ kind: resource.kind, apiVersion: apiVersionOf(resource), metadata })
    case "Partial":
      return JSON.stringify({ kind: "PartialObjectMetadata", apiVersion: representation.groupVersion, metadata })
    case "Table":
      return `${tableHead(renderer, representation.groupVersion, { resourceVersion: String(revision) }, first)}${JSON.stringify(
        Table.row(resource, apiVersionOf(resource), { metadata }, tableOptions(renderer, representation))
      )}]}`
  }
}

/**
 * Renders a list in pieces, so that a long list is never one string.
 *
 * **Limits** a list of whole objects joins stored texts; the other forms parse each object once.
 */
export function* list(renderer: Renderer, metadata: JsonObject, items: Iterable<Stored>): Generator<string> {
  const { representation, resource } = renderer
  switch (representation._tag) {
    case "Whole":
      yield `{"kind":"${listKindOf(resource)}","apiVersion":"${apiVersionOf(resource)}","metadata":${JSON.stringify(
        resource.custom === undefined ? metadata : { continue: "", ...metadata }
      )},"items":[`
      break
    case "Partial":
      yield `{"kind":"PartialObjectMetadataList","apiVersion":"${representation.groupVersion}","metadata":${JSON.stringify(
        metadata
      )},"items":[`
      break
    case "Table":
      yield tableHead(renderer, representation.groupVersion, metadata, true)
      break
  }
  let separator = ""
  for (const stored of items) {
    yield `${separator}${listItem(renderer, stored)}`
    separator = ","
  }
  yield "]}"
}

const listItem = (renderer: Renderer, stored: Stored): string => {
  const { representation } = renderer
  switch (representation._tag) {
    case "Whole":
      // Like the real server, items of a custom kind's list have `kind` and `apiVersion`.
      return renderer.resource.custom === undefined ? stored.body : one(renderer, stored)
    case "Partial":
      return JSON.stringify(partial(representation.groupVersion, read(stored)))
    case "Table":
      return rowText(renderer, representation, stored)
  }
}

/** JSON of an object, converted to the requested version. */
const bodyOf = (resource: Resource, stored: Stored): string =>
  resource.custom?.stored === undefined ? stored.body : JSON.stringify(Conversion.toRequested(resource, read(stored)))

/** Adds `kind` and `apiVersion` to a stored text. */
const wholeText = (resource: Resource, body: string): string =>
  `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",${body.slice(1)}`

const partial = (groupVersion: string, object: JsonObject): JsonObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: groupVersion,
  metadata: objectAt(object, "metadata")
})

const tableHead = (renderer: Renderer, groupVersion: string, metadata: JsonObject, defined: boolean): string => {
  const columns = defined ? Table.definitions(renderer.resource) : null
  return `{"kind":"Table","apiVersion":"${groupVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${JSON.stringify(
    columns
  )},"rows":[`
}

const rowText = (
  renderer: Renderer,
  representation: Extract<Representation, { _tag: "Table" }>,
  stored: Stored
): string =>
  JSON.stringify(
    Table.row(
      renderer.resource,
      apiVersionOf(renderer.resource),
      Conversion.toRequested(renderer.resource, read(stored)),
      tableOptions(renderer, representation)
    )
  )

const tableOptions = (
  renderer: Renderer,
  representation: Extract<Representation, { _tag: "Table" }>
): Table.TableOptions => ({
  groupVersion: representation.groupVersion,
  include: representation.include,
  nowMs: renderer.nowMs()
})
