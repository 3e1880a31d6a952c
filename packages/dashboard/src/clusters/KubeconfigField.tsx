/**
 * A kubeconfig, pasted or read from a file; of a file only its name is shown.
 */
import { Button, Code, FileButton, Group, Stack, Text, Textarea } from "@mantine/core"
import { useId, useState } from "react"
import * as Quantity from "../format/Quantity.ts"
import type { DraftForm } from "../form/useDraft.ts"
import { type ClusterDraft, MAX_KUBECONFIG, textOf } from "./ClusterDraft.ts"

const TOO_LARGE = `It is larger than ${Quantity.bytes(MAX_KUBECONFIG)}, which no kubeconfig of one cluster is`

export const KubeconfigField = ({ form }: { readonly form: DraftForm<ClusterDraft> }) => {
  const { change, draft, errors, isRunning, refuse } = form
  // Another file cannot be read while one is.
  const [isReading, setReading] = useState(false)
  const take = async (file: File | null) => {
    if (file === null) return
    if (file.size > MAX_KUBECONFIG) {
      refuse({ kubeconfig: TOO_LARGE })
      return
    }
    setReading(true)
    try {
      change({ kubeconfig: textOf(new Uint8Array(await file.arrayBuffer())), fileName: file.name })
    } catch {
      refuse({ kubeconfig: `The browser could not read ${file.name}` })
    } finally {
      setReading(false)
    }
  }
  return (
    <Stack gap="xs">
      {draft.fileName === undefined ? (
        <Textarea
          label="Kubeconfig"
          description={
            <>
              Its current context counts. <Code>kubectl config view --minify --flatten --raw</Code> prints one with all
              that is needed in it. Programs and paths of files are refused.
            </>
          }
          value={draft.kubeconfig}
          onChange={(event) => change({ kubeconfig: event.currentTarget.value })}
          error={errors["kubeconfig"]}
          readOnly={isRunning}
          rows={10}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          classNames={{ input: "qd-code" }}
        />
      ) : (
        <ChosenFile form={form} name={draft.fileName} />
      )}
      <Group>
        <FileButton onChange={(file) => void take(file)} disabled={isRunning}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={isReading}>
              {draft.fileName === undefined ? "Choose a file" : "Choose another file"}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  )
}

const ChosenFile = ({ form, name }: { readonly form: DraftForm<ClusterDraft>; readonly name: string }) => {
  const { change, draft, errors, isRunning } = form
  const fault = errors["kubeconfig"]
  const id = useId()
  return (
    <Stack gap={4} role="group" aria-label="Kubeconfig">
      <Text size="sm" fw={600}>
        Kubeconfig
      </Text>
      <Group gap="sm">
        <Text size="sm" className="qd-text">
          {name}, {Quantity.counted(draft.kubeconfig.length, "character")}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={isRunning}
          data-fault={fault !== undefined}
          aria-describedby={id}
          onClick={() => change({ kubeconfig: "", fileName: undefined })}
        >
          Remove it
        </Button>
      </Group>
      {fault === undefined ? undefined : (
        <Text id={id} size="sm" c="var(--mantine-color-error)" role="alert" className="qd-text">
          {fault}
        </Text>
      )}
    </Stack>
  )
}
