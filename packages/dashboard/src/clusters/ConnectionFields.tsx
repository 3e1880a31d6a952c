/**
 * Fields for a cluster's address, certificate authority and token.
 */
import { PasswordInput, TagsInput, Textarea, TextInput } from "@mantine/core"
import type { DraftForm } from "../form/useDraft.ts"
import type { ClusterDraft } from "./ClusterDraft.ts"

const PLAIN = { autoComplete: "off", autoCapitalize: "off", spellCheck: false } as const

export const ConnectionFields = ({ form }: { readonly form: DraftForm<ClusterDraft> }) => {
  const { change, draft, errors, isRunning } = form
  return (
    <>
      <TextInput
        {...PLAIN}
        label="Address of the API server"
        description="The server refuses link-local and cloud metadata addresses, and loopback addresses unless a setting allows them."
        placeholder="https://prod.example.com:6443"
        value={draft.server}
        onChange={(event) => change({ server: event.currentTarget.value })}
        error={errors["server"]}
        maxLength={2_048}
        readOnly={isRunning}
      />
      <Textarea
        {...PLAIN}
        label="Certificate authority"
        description="PEM, plain or in base64 as in a kubeconfig."
        value={draft.caData}
        onChange={(event) => change({ caData: event.currentTarget.value })}
        error={errors["caData"]}
        readOnly={isRunning}
        rows={5}
        classNames={{ input: "qd-code" }}
      />
      <PasswordInput
        {...PLAIN}
        label="Token"
        description="Usually the token of a service account."
        value={draft.token}
        onChange={(event) => change({ token: event.currentTarget.value })}
        error={errors["token"]}
        readOnly={isRunning}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
      />
      <TextInput
        {...PLAIN}
        label="Name in the server's certificate"
        description="Only if it differs from the host name in the address."
        value={draft.tlsServerName}
        onChange={(event) => change({ tlsServerName: event.currentTarget.value })}
        error={errors["tlsServerName"]}
        maxLength={253}
        readOnly={isRunning}
      />
      <TextInput
        {...PLAIN}
        label="HTTP proxy"
        description="Only if the cluster is behind a proxy. The same address rules apply."
        value={draft.proxyUrl}
        onChange={(event) => change({ proxyUrl: event.currentTarget.value })}
        error={errors["proxyUrl"]}
        maxLength={2_048}
        readOnly={isRunning}
      />
      <TagsInput
        label="Labels"
        description="Labels of the cluster, each written key=value."
        placeholder={draft.labels.length === 0 ? "region=eu" : ""}
        value={[...draft.labels]}
        onChange={(labels) => change({ labels })}
        error={errors["labels"]}
        readOnly={isRunning}
        maxTags={64}
        splitChars={[",", " "]}
      />
    </>
  )
}
