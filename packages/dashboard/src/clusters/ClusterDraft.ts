/**
 * The form that registers a cluster: its fields and the request body made of them.
 */
import { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import { Result, Schema, SchemaIssue } from "effect"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { labelOf, repeatsKey } from "../form/Labels.ts"

/**
 * Fields of the form.
 *
 * **Shape** only the fields of the chosen `way` are sent. `labels` are written `key=value`.
 */
export interface ClusterDraft {
  readonly name: string
  readonly way: "kubeconfig" | "parts"
  readonly kubeconfig: string
  /** Name of the file that the kubeconfig was read from; absent if it was typed or pasted. */
  readonly fileName: string | undefined
  readonly server: string
  /** PEM, plain or in base64. */
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

/** Maximum length of a kubeconfig that the server accepts. **Units** characters. */
export const MAX_KUBECONFIG = 256 * 1024

/** Decodes a kubeconfig file: UTF-8, or UTF-16 with a byte order mark. **Errors** throws for other bytes. */
export const textOf = (bytes: Uint8Array): string => {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8"
  return new TextDecoder(encoding, { fatal: true }).decode(bytes)
}

const PEM = "-----BEGIN "

/** Encodes a certificate authority for the API: PEM becomes base64, and base64 loses its line breaks. */
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

/** Errors of empty fields and labels, with clearer messages than the schema's. */
const omissions = (draft: ClusterDraft): FieldErrors => {
  const named = draft.name.trim() === "" ? { name: "Enter a name for the cluster" } : {}
  if (draft.way === "kubeconfig") {
    return {
      ...named,
      ...(draft.kubeconfig.trim() === "" ? { kubeconfig: "Paste a kubeconfig, or choose a file" } : {})
    }
  }
  const { caData, labels, server, token } = draft
  return {
    ...named,
    ...(server.trim() === "" ? { server: "Enter the API server's address" } : {}),
    ...(caData.trim() === "" ? { caData: "Paste the certificate authority" } : {}),
    ...(token.trim() === "" ? { token: "Paste the token" } : {}),
    ...(labels.some((label) => !label.includes("=")) ? { labels: "Write each label as key=value" } : {}),
    ...(repeatsKey(labels) ? { labels: "Use each label key only once" } : {})
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
 * **Errors** {@link FieldErrors} by the names of the body's members. No message contains a credential.
 */
export const toBody = (draft: ClusterDraft): Result.Result<RegisterCluster, FieldErrors> => {
  const missing = omissions(draft)
  if (Object.keys(missing).length > 0) return Result.fail(missing)
  return Result.mapError(decode({ name: draft.name.trim(), ...connectionOf(draft) }), ({ issue }) =>
    Object.fromEntries(print(issue).issues.map(({ message, path = [] }) => [stepOf(path[0]), message]))
  )
}
