import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import { authorityOf, type ClusterDraft, EMPTY, MAX_KUBECONFIG, textOf, toBody } from "../src/clusters/ClusterDraft.ts"

const draft = (fields: Partial<ClusterDraft>): ClusterDraft => ({
  ...EMPTY,
  name: "prod",
  kubeconfig: "kind: Config",
  server: "https://10.0.0.1",
  caData: "QUJD",
  token: "t",
  ...fields
})

const faultsOf = (fields: Partial<ClusterDraft>) =>
  Result.match(toBody(draft(fields)), { onSuccess: () => ({}), onFailure: (faults) => faults })

describe("the form of a new cluster", () => {
  it("reads a file in UTF-8, and in UTF-16 with a byte order mark", () => {
    const text = "kind: é"
    const utf8 = new TextEncoder().encode(text)
    const codes = Array.from(`\ufeff${text}`, (character) => character.charCodeAt(0))
    const bigEndian = Uint8Array.from(codes.flatMap((code) => [code >> 8, code & 0xff]))
    const littleEndian = Uint8Array.from(codes.flatMap((code) => [code & 0xff, code >> 8]))
    const files = [utf8, Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8), littleEndian, bigEndian]
    for (const bytes of files) assert.strictEqual(textOf(bytes), text)
    assert.throws(() => textOf(Uint8Array.of(0x61, 0xe9)))
  })

  it("sends the kubeconfig beside the name alone, or the parts without it", () => {
    const { kubeconfig, ...rest } = Result.getOrThrow(
      toBody(draft({ name: " prod ", proxyUrl: "http://p", labels: ["a=b"] }))
    )
    assert.deepStrictEqual({ ...rest }, { name: rest.name })
    assert.strictEqual(String(rest.name), "prod")
    assert.strictEqual(kubeconfig === undefined ? "" : Redacted.value(kubeconfig), "kind: Config")
    const { token, ...parts } = Result.getOrThrow(
      toBody(draft({ way: "parts", token: " secret\n", labels: ["region=eu", "tier="], tlsServerName: " api " }))
    )
    assert.strictEqual(token === undefined ? "" : Redacted.value(token), "secret")
    assert.deepStrictEqual<unknown>(parts, {
      name: "prod",
      server: "https://10.0.0.1",
      caData: "QUJD",
      tlsServerName: "api",
      labels: { region: "eu", tier: "" }
    })
  })

  it("names each field that is missing or not as it should be, and quotes no credential", () => {
    assert.hasAllKeys(faultsOf({ name: " " }), ["name"])
    assert.hasAllKeys(faultsOf({ name: "no name" }), ["name"])
    assert.hasAllKeys(faultsOf({ kubeconfig: "\n" }), ["kubeconfig"])
    assert.hasAllKeys(faultsOf({ way: "parts", server: "", caData: "", token: "" }), ["server", "caData", "token"])
    assert.hasAllKeys(faultsOf({ way: "parts", labels: ["region"] }), ["labels"])
    assert.hasAllKeys(faultsOf({ way: "parts", labels: ["a=1", "a=2"] }), ["labels"])
    const long = "secret".repeat(MAX_KUBECONFIG / 4)
    for (const faults of [faultsOf({ kubeconfig: long }), faultsOf({ way: "parts", token: long })]) {
      assert.lengthOf(Object.keys(faults), 1)
      assert.notInclude(JSON.stringify(faults), "secret")
    }
  })

  const Text = Schema.String.check(Schema.isMaxLength(200))

  it.prop("PEM is put into base64, which is what it says when it is read back", [Text], ([text]) => {
    const pem = `-----BEGIN CERTIFICATE-----\n${text.trim().toWellFormed()}\n-----END CERTIFICATE-----`
    const data = authorityOf(`  ${pem}\r\n`)
    assert.match(data, /^[A-Za-z0-9+/]+={0,2}$/)
    const read = new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0))
    assert.strictEqual(read, `${pem}\n`)
    // Base64 is base64 whatever lines it stands in.
    assert.strictEqual(authorityOf(data.replace(/(.{64})/g, "$1\n ")), data)
  })
})
