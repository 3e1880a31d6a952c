/**
 * What a container of a pod has written, beside the page.
 */
import { Button, Checkbox, Drawer, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type LogQuestion, logQuery, type Pod } from "../api/PodQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"

interface Props {
  /** The drawer is closed without one. */
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
const FIRST: LogQuestion = { container: "", tailLines: 500, isPrevious: false, hasTimestamps: false }

const PodLog = ({ pod }: { readonly pod: Pod }) => {
  const [question, setQuestion] = useState(FIRST)
  const [container, setContainer] = useState("")
  const log = useQuery(logQuery(pod, question))
  const change = (part: Partial<LogQuestion>) => setQuestion((before) => ({ ...before, ...part }))
  const isUnclear = log.error instanceof ApiFailure && log.error.field === "container"
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Newest lines"
          value={String(question.tailLines)}
          onChange={({ currentTarget: { value } }) => change({ tailLines: Number(value) })}
          data={LINES.map((value) => ({ value, label: Quantity.count(Number(value)) }))}
        />
        {pod.containers > 1 || isUnclear || question.container !== "" ? (
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
          Read again
        </Button>
      </Group>
      <Group gap="md">
        <Checkbox
          label="Before its last restart"
          checked={question.isPrevious}
          onChange={(event) => change({ isPrevious: event.currentTarget.checked })}
        />
        <Checkbox
          label="With times"
          checked={question.hasTimestamps}
          onChange={(event) => change({ hasTimestamps: event.currentTarget.checked })}
        />
      </Group>
      {log.error instanceof ApiFailure ? <FailureAlert failure={log.error} /> : undefined}
      {log.isLoading ? <Loading what="the log" /> : undefined}
      {log.data === undefined || log.error !== null ? undefined : <LogText {...log.data} />}
    </Stack>
  )
}

/** What a workload writes is shown as text and nothing else. */
const LogText = ({ isCut, text }: { readonly text: string; readonly isCut: boolean }) => {
  const end = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight
  }, [text])
  if (text === "") return <Text c="dimmed">The container has written nothing.</Text>
  return (
    <>
      {isCut ? (
        <Text size="sm" c="dimmed" role="status">
          There is more than the newest mebibyte, which is shown.
        </Text>
      ) : undefined}
      <pre ref={end} className="qd-log" tabIndex={0} role="log" aria-label="The log" aria-live="off">
        {text}
      </pre>
    </>
  )
}
