/** The processor time of everything that reads clusters: in proportion to the text, whatever the text is. */
import { assert, describe, it } from "@effect/vitest"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Redacted } from "effect"
import * as AddressRule from "../../src/registry/AddressRule.ts"
import * as ArgoSecret from "../../src/registry/ArgoSecret.ts"
import * as ClusterProfile from "../../src/registry/ClusterProfile.ts"
import { fromFiles } from "../../src/registry/Kubeconfig.ts"
import * as KubeconfigDocument from "../../src/registry/KubeconfigDocument.ts"
import * as PostedConnection from "../../src/registry/PostedConnection.ts"
import * as StoredConnection from "../../src/registry/StoredConnection.ts"
import { config } from "../fixture/KubeconfigText.ts"
import { excessOf } from "../fixture/ProcessorTime.ts"

/** What is repeated, between a head and a tail. */
const SHAPES: ReadonlyArray<readonly [string, (count: number) => string]> = [
  ["a", ""],
  ["-", "x"],
  [".", "x"],
  ["/", "x"],
  ["._-", "!"],
  [" ", "x"],
  ["\n", "x"],
  ["\t ", "x"],
  ["=", "x"],
  ["a/", ":"],
  ["a.", "!"],
  ["@", "x"],
  ["[", ""],
  ["- ", ""],
  ["{a: ", ""],
  ["? ", ""],
  ["&a ", ""],
  ["*a ", ""],
  ["#\n", ""],
  ["'", ""],
  ['\\"', ""],
  ["a,", "]"],
  ["a: b\n", ""],
  ["- &a b\n- *a\n", ""],
  ["---\n", ""],
  ["é", "x"],
  ["%41", "x"],
  ["https://", ""],
  ["localhost.", "x"]
].map(([repeated = "", tail = ""]) => [
  JSON.stringify(`${repeated}…${tail}`),
  (count: number) => `x${repeated.repeat(Math.ceil(count / repeated.length))}${tail}`
])

const rule = { allowLoopback: true }
const rules = { addressRule: rule, allowedCommands: ["/opt/login *", "x"] }
const base64 = (text: string) => Buffer.from(text).toString("base64")
const LABELS = { "argocd.argoproj.io/secret-type": "cluster" }
const secret = (data: object) => ({ metadata: { name: "s", labels: LABELS }, data })

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "a cluster name": ClusterName.fromText,
  "the name of a Secret": (text) =>
    ArgoSecret.read(secret({ name: base64(text), server: base64("https://a.test") }), rules),
  "the server of a Secret": (text) => ArgoSecret.read(secret({ name: "YQ==", server: base64(text) }), rules),
  "a server's path in a Secret": (text) =>
    ArgoSecret.read(secret({ name: "YQ==", server: base64(`https://a.test/${text}`) }), rules),
  "the configuration of a Secret": (text) =>
    ArgoSecret.read(secret({ name: "YQ==", server: base64("https://a.test"), config: base64(text) }), rules),
  "fields of the configuration of a Secret": (text) => {
    const tlsClientConfig = { caData: text, certData: text, serverName: text }
    const execProviderConfig = { command: "/opt/login", args: [text], env: { [text]: text } }
    return [{ bearerToken: text, username: text, proxyUrl: text, tlsClientConfig }, { execProviderConfig }].map(
      (fields) =>
        ArgoSecret.read(
          secret({ name: "YQ==", server: base64("https://a.test"), config: base64(JSON.stringify(fields)) }),
          rules
        )
    )
  },
  "the labels of a Secret": (text) =>
    ArgoSecret.read(
      {
        ...secret({ server: base64("https://a.test") }),
        metadata: { name: text, labels: { ...LABELS, [text]: text } }
      },
      rules
    ),
  "a ClusterProfile": (text) =>
    ClusterProfile.read(
      {
        metadata: { name: text },
        status: { accessProviders: [{ name: text }, { name: "x", cluster: { server: text } }] }
      },
      rules
    ),
  "a kubeconfig": (text) => fromFiles([{ path: "/a", text }]),
  "a kubeconfig whose text goes on": (text) => fromFiles([{ path: "/a", text: `${config()}${text}` }]),
  "names and fields of a kubeconfig": (text) =>
    fromFiles([
      {
        path: "/a",
        text: JSON.stringify({
          clusters: [{ name: "c", cluster: { server: text } }],
          users: [{ name: "u", user: { token: text } }],
          contexts: [
            { name: text, context: { cluster: "c", user: "u" } },
            { name: "b", context: { cluster: "c", user: "u" } }
          ]
        })
      }
    ]),
  "a posted kubeconfig": (text) => PostedConnection.fromKubeconfig(Redacted.make(text), rule),
  "the parts of a posted connection": (text) => [
    PostedConnection.fromParts({ server: text, caData: text, token: Redacted.make(text), proxyUrl: text }, rule),
    PostedConnection.fromParts(
      { server: `https://a.test/${text}`, caData: base64(`-----BEGIN ${text}`), token: Redacted.make(text) },
      rule
    )
  ],
  "a stored connection": (text) => StoredConnection.read(text, rule),
  "an address": (text) => [
    AddressRule.faultOfUrl(text, rule),
    AddressRule.faultOfUrl(`https://${text}`, rule),
    AddressRule.faultOf(text, rule),
    AddressRule.faultOfHost(text, { allowLoopback: false })
  ],
  "the bytes of a file": (text) => KubeconfigDocument.decodeBytes(Buffer.from(text))
}

describe("twice the text takes at most three times the processor time", () => {
  it.each(Object.entries(READERS))("%s", (_, read) => {
    assert.deepStrictEqual(
      SHAPES.flatMap(([shape, textOf]) => excessOf(textOf, read).map((excess) => `${shape}: ${excess}`)),
      []
    )
  })
})
