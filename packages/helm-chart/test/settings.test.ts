import { assert, describe, it } from "@effect/vitest"
import { descriptions } from "@quarterdeck/http-server/settings/Reference"
import { Schema } from "effect"
import { readFileSync } from "node:fs"

interface Section {
  readonly properties?: Readonly<Record<string, Section>>
  readonly additionalProperties?: unknown
}

const Section: Schema.Codec<Section> = Schema.Struct({
  properties: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.suspend(() => Section)
    )
  ),
  additionalProperties: Schema.optionalKey(Schema.Unknown)
})

const document = Schema.decodeSync(Schema.fromJsonString(Section))(
  readFileSync(new URL("../values.schema.json", import.meta.url), "utf8")
)

/** The paths of all values below a section; every section with names of its own refuses others. */
const pathsIn = (section: Section, path: string): ReadonlyArray<string> => {
  if (section.properties === undefined) return [path]
  assert.isFalse(section.additionalProperties, path)
  return Object.entries(section.properties).flatMap(([name, inner]) =>
    pathsIn(inner, path === "" ? name : `${path}.${name}`)
  )
}

/** Those that follow from other values of the chart. */
const FOLLOWING = [
  "server.host",
  "server.port",
  "server.tls.certFile",
  "server.tls.keyFile",
  "clusters.kubeconfig",
  "keys.file",
  "keys.bootstrapFile",
  "oidc.clientSecretFile",
  "clusters.secretFile",
  "dataDirectory"
]

describe("settings of the values", () => {
  it("are those of the server, but for those that the chart gives itself", () => {
    const known = pathsIn(document, "").flatMap((path) =>
      path.startsWith("settings.") ? [path.slice("settings.".length)] : []
    )
    assert.deepStrictEqual([...known, ...FOLLOWING].toSorted(), [...descriptions.keys()].toSorted())
  })
})
