/**
 * A kubeconfig, pasted or read from a file. Only the name of a file is shown.
 */
import { Button, Code, FileButton, Group, Stack, Text, Textarea } from "@mantine/core"
import { useId, useState } from "react"
import * as Quantity from "../format/Quantity.ts"
import type { DraftForm } from "../form/useDraft.ts"
import { type ClusterDraft, MAX_KUBECONFIG, textOf } from "./ClusterDraft.ts"

const TOO_LARGE = `The file is larger than the maximum of ${Quantity.bytes(MAX_KUBECONFIG)}`

export const KubeconfigField = ({ form }: { readonly form: DraftForm<ClusterDraft> }) => {
  const { change, draft, errors, isRunning, refuse } = form
  // Only one file is read at a time.
  const [isReading, setReading] = useState(false)
  const readFile = async (file: File | null) => {
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
              The current context is used. <Code>kubectl config view --minify --flatten --raw</Code> prints a complete
              one. Kubeconfigs that run programs or name files are refused.
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
        <FileButton onChange={(file) => void readFile(file)} disabled={isRunning}>
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
  const error = errors["kubeconfig"]
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
          data-fault={error !== undefined}
          aria-describedby={id}
          onClick={() => change({ kubeconfig: "", fileName: undefined })}
        >
          Remove file
        </Button>
      </Group>
      {error === undefined ? undefined : (
        <Text id={id} size="sm" c="var(--mantine-color-error)" role="alert" className="qd-text">
          {error}
        </Text>
      )}
    </Stack>
  )
}
