/**
 * A cluster as the form holds it, before it is registered.
 */
import { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import { Result, Schema, SchemaIssue } from "effect"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { labelOf, repeatsKey } from "../form/Labels.ts"

/**
 * What the fields of the form hold.
 *
 * **Shape** of the two ways only the fields of the chosen one are sent; `labels` are written `key=value`.
 */
export interface ClusterDraft {
  readonly name: string
  readonly way: "kubeconfig" | "parts"
  readonly kubeconfig: string
  /** The file that the kubeconfig was read from; absent where it was typed or pasted. */
  readonly fileName: string | undefined
  readonly server: string
  /** PEM as it is, or in base64 as a kubeconfig has it. */
  readonly caData: string
  readonly token: string
  readonly tlsServerName: string
  readonly proxyUrl: string
  readonly labels: ReadonlyArray<string>
}

export const EMPTY: ClusterDraft = {
  name: "",
  way: "kubeconfig",
  kubeconfig: "",
  fileName: undefined,
  server: "",
  caData: "",
  token: "",
  tlsServerName: "",
  proxyUrl: "",
  labels: []
}

/** How many characters the server allows a kubeconfig. */
export const MAX_KUBECONFIG = 256 * 1024

/** Decodes a kubeconfig file: UTF-8, or UTF-16 with a byte order mark. **Errors** throws for bytes of neither. */
export const textOf = (bytes: Uint8Array): string => {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding, { fatal: true }).decode(bytes)
}

const PEM = "-----BEGIN "

/** Gives a certificate authority as the API takes it: PEM is put into base64, and base64 loses its line breaks. */
export const authorityOf = (text: string): string => {
  const trimmed = text.trim()
  if (!trimmed.startsWith(PEM)) return trimmed.replace(/\s+/g, "")
  const bytes = new TextEncoder().encode(`${trimmed}\n`)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

const decode = Schema.decodeUnknownResult(RegisterCluster, { errors: "all", onExcessProperty: "error" })
const print = SchemaIssue.makeFormatterStandardSchemaV1()

const stepOf = (step: PropertyKey | { readonly key: PropertyKey } | undefined): string =>
  String(typeof step === "object" ? step.key : (step ?? ""))

/** What the form asks before it asks the schema: words for what was left empty. */
const omissions = (draft: ClusterDraft): FieldErrors => {
  const named = draft.name.trim() === "" ? { name: "Give the cluster a name" } : {}
  if (draft.way === "kubeconfig") {
    return {
      ...named,
      ...(draft.kubeconfig.trim() === "" ? { kubeconfig: "Paste a kubeconfig, or choose a file" } : {})
    }
  }
  const { caData, labels, server, token } = draft
  return {
    ...named,
    ...(server.trim() === "" ? { server: "Give the API server's address" } : {}),
    ...(caData.trim() === "" ? { caData: "Paste the certificate authority" } : {}),
    ...(token.trim() === "" ? { token: "Paste the token" } : {}),
    ...(labels.some((label) => !label.includes("=")) ? { labels: "Write each label as key=value" } : {}),
    ...(repeatsKey(labels) ? { labels: "Name each label once: a cluster has one value of it" } : {})
  }
}

const connectionOf = (draft: ClusterDraft) => {
  if (draft.way === "kubeconfig") return { kubeconfig: draft.kubeconfig }
  const tlsServerName = draft.tlsServerName.trim()
  const proxyUrl = draft.proxyUrl.trim()
  return {
    server: draft.server.trim(),
    caData: authorityOf(draft.caData),
    token: draft.token.trim(),
    ...(tlsServerName === "" ? {} : { tlsServerName }),
    ...(proxyUrl === "" ? {} : { proxyUrl }),
    ...(draft.labels.length === 0 ? {} : { labels: Object.fromEntries(draft.labels.map(labelOf)) })
  }
}

/**
 * Makes the body of the call that registers a cluster.
 *
 * **Errors** {@link FieldErrors} by the names of the body's members, by the rules of the contract; none quotes a credential.
 */
export const toBody = (draft: ClusterDraft): Result.Result<RegisterCluster, FieldErrors> => {
  const missing = omissions(draft)
  if (Object.keys(missing).length > 0) return Result.fail(missing)
  return Result.mapError(decode({ name: draft.name.trim(), ...connectionOf(draft) }), ({ issue }) =>
    Object.fromEntries(print(issue).issues.map(({ message, path = [] }) => [stepOf(path[0]), message]))
  )
}
