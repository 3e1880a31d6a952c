/**
 * A drawer with the log of a pod.
 */
import { Button, Checkbox, Drawer, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type LogParameters, logQuery, type Pod } from "../api/PodQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"

interface Props {
  /** The drawer is open while this is set. */
  readonly pod: Pod | undefined
  readonly onClose: () => void
}

export const LogDrawer = ({ onClose, pod }: Props) => (
  <Drawer
    opened={pod !== undefined}
    onClose={onClose}
    position="right"
    size="xl"
    title={pod === undefined ? "" : `Log of ${pod.name}`}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {pod === undefined ? undefined : <PodLog key={pod.id} pod={pod} />}
  </Drawer>
)

const LINES = ["100", "500", "2000", "10000"]
const FIRST: LogParameters = { container: "", tailLines: 500, isPrevious: false, hasTimestamps: false }

const PodLog = ({ pod }: { readonly pod: Pod }) => {
  const [parameters, setParameters] = useState(FIRST)
  const [container, setContainer] = useState("")
  const log = useQuery(logQuery(pod, parameters))
  const change = (part: Partial<LogParameters>) => setParameters((before) => ({ ...before, ...part }))
  const isUnclear = log.error instanceof ApiFailure && log.error.field === "container"
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Newest lines"
          value={String(parameters.tailLines)}
          onChange={({ currentTarget: { value } }) => change({ tailLines: Number(value) })}
          data={LINES.map((value) => ({ value, label: Quantity.count(Number(value)) }))}
        />
        {pod.containers > 1 || isUnclear || parameters.container !== "" ? (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              change({ container: container.trim() })
            }}
          >
            <Group gap="xs" align="flex-end">
              <TextInput
                label="Container"
                value={container}
                onChange={(event) => setContainer(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
              <Button type="submit" variant="default">
                Read
              </Button>
            </Group>
          </form>
        ) : undefined}
        <Button variant="default" onClick={() => void log.refetch()} loading={log.isFetching}>
          Refresh
        </Button>
      </Group>
      <Group gap="md">
        <Checkbox
          label="Previous run"
          checked={parameters.isPrevious}
          onChange={(event) => change({ isPrevious: event.currentTarget.checked })}
        />
        <Checkbox
          label="Timestamps"
          checked={parameters.hasTimestamps}
          onChange={(event) => change({ hasTimestamps: event.currentTarget.checked })}
        />
      </Group>
      {log.error instanceof ApiFailure ? <FailureAlert failure={log.error} /> : undefined}
      {log.isLoading ? <Loading what="the log" /> : undefined}
      {log.data === undefined || log.error !== null ? undefined : <LogText {...log.data} />}
    </Stack>
  )
}

/** The log as plain text. It is not interpreted as HTML. */
const LogText = ({ isCut, text }: { readonly text: string; readonly isCut: boolean }) => {
  const end = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight
  }, [text])
  if (text === "") return <Text c="dimmed">The log is empty.</Text>
  return (
    <>
      {isCut ? (
        <Text size="sm" c="dimmed" role="status">
          The log is longer. Only its newest 1 MiB is shown.
        </Text>
      ) : undefined}
      <pre ref={end} className="qd-log" tabIndex={0} role="log" aria-label="Log" aria-live="off">
        {text}
      </pre>
    </>
  )
}
