/**
 * The tab with the log of a pod.
 */
import { Button, Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useSearchParams } from "react-router"
import { type Pod, podsQuery } from "../api/PodQueries.ts"
import type { Workload, WorkloadDetail } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { saveText } from "../feedback/saveText.ts"
import * as Quantity from "../format/Quantity.ts"
import { LogFind } from "./LogFind.tsx"
import { LogLines } from "./LogLines.tsx"
import * as LogText from "./LogText.ts"
import { useLog } from "./useLog.ts"
import { worstFirst } from "./WorkloadAnswer.ts"

/** Address parameter of the pod whose log is shown. */
const POD = "pod"

interface Props {
  readonly workload: Workload
  /** The containers; absent while they are unknown. */
  readonly detail: WorkloadDetail | undefined
}

export const LogTab = ({ detail, workload }: Props) => {
  const found = useQuery(podsQuery(workload))
  const [search, setSearch] = useSearchParams()
  const pods = worstFirst(found.data?.pods ?? [])
  const pod = pods.find(({ name }) => name === search.get(POD)) ?? pods[0]
  const choose = (name: string) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        next.set(POD, name)
        return next
      },
      { replace: true }
    )
  }
  const isUnnamed = search.get(POD) === null
  const shown = pod?.name
  // Another pod may become the worst one. The log must not change under the reader.
  useEffect(() => {
    if (isUnnamed && shown !== undefined) choose(shown)
  })
  if (found.isLoading) return <Loading what="the pods" />
  if (pod === undefined) return <Text c="dimmed">The workload has no pods now, so it has no log.</Text>
  return (
    <PodLog
      key={pod.id}
      pod={pod}
      pods={pods}
      onChoose={choose}
      containers={detail?.containers.map(({ name }) => name) ?? []}
    />
  )
}

const LINES = ["100", "500", "2000", "10000"]
const FIRST_LINES = 500

interface LogProps {
  readonly pod: Pod
  readonly pods: ReadonlyArray<Pod>
  readonly onChoose: (name: string) => void
  readonly containers: ReadonlyArray<string>
}

const PodLog = ({ containers, onChoose, pod, pods }: LogProps) => {
  const [chosen, setChosen] = useState("")
  const [tailLines, setTailLines] = useState(FIRST_LINES)
  const [isFollowed, setFollowed] = useState(true)
  const [isPrevious, setPrevious] = useState(false)
  const [hasTimestamps, setTimestamps] = useState(false)
  const [isWrapped, setWrapped] = useState(true)
  // A pod with one container needs no name. The server refuses to choose among several.
  const container = chosen === "" && containers.length > 1 ? (containers[0] ?? "") : chosen
  const parameters = { container, tailLines, isPrevious, hasTimestamps }
  const log = useLog({ pod: nameOf(pod), parameters, isFollowed: isFollowed && !isPrevious })
  const lines = LogText.linesOf(log.buffer)
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Pod"
          value={pod.name}
          onChange={({ currentTarget: { value } }) => onChoose(value)}
          data={pods.map(({ name, status }) => ({ value: name, label: `${name} (${status})` }))}
          maw="100%"
        />
        {containers.length > 1 ? (
          <NativeSelect
            label="Container"
            value={container}
            onChange={({ currentTarget: { value } }) => setChosen(value)}
            data={[...containers]}
          />
        ) : undefined}
        <NativeSelect
          label="Newest lines"
          value={String(tailLines)}
          onChange={({ currentTarget: { value } }) => setTailLines(Number(value))}
          data={LINES.map((value) => ({ value, label: Quantity.count(Number(value)) }))}
        />
        <Button variant="default" onClick={log.again}>
          Refresh
        </Button>
        <Button
          variant="default"
          disabled={lines.length === 0}
          onClick={() => saveText(`${pod.name}${container === "" ? "" : `-${container}`}.log`, `${lines.join("\n")}\n`)}
        >
          Download
        </Button>
      </Group>
      <Group gap="md">
        <Flag label="Follow" isOn={isFollowed && !isPrevious} isOff={isPrevious} onChange={setFollowed} />
        <Flag label="Previous run" isOn={isPrevious} onChange={setPrevious} />
        <Flag label="Timestamps" isOn={hasTimestamps} onChange={setTimestamps} />
        <Flag label="Wrap lines" isOn={isWrapped} onChange={setWrapped} />
      </Group>
      {log.failure === undefined ? undefined : <FailureAlert failure={log.failure} onRetry={log.again} />}
      {log.state === "loading" ? <Loading what="the log" /> : undefined}
      {log.state === "loading" || log.failure !== undefined ? undefined : (
        <LogFind lines={lines}>
          {(found) => (
            <>
              <LogNote log={log} lines={lines.length} />
              {lines.length === 0 ? undefined : (
                <LogLines lines={lines} {...found} isWrapped={isWrapped} isFollowed={log.state === "following"} />
              )}
            </>
          )}
        </LogFind>
      )}
    </Stack>
  )
}

const nameOf = ({ cluster, name, namespace }: Pod) => ({ cluster, name, namespace })

interface FlagProps {
  readonly label: string
  readonly isOn: boolean
  readonly isOff?: boolean
  readonly onChange: (isOn: boolean) => void
}

const Flag = ({ isOff = false, isOn, label, onChange }: FlagProps) => (
  <Checkbox
    label={label}
    checked={isOn}
    disabled={isOff}
    onChange={({ currentTarget: { checked } }) => onChange(checked)}
  />
)

interface NoteProps {
  readonly log: Pick<ReturnType<typeof useLog>, "buffer" | "isCut" | "state">
  readonly lines: number
}

/** Number of lines, state of the log, and whether older lines are left out. */
const LogNote = ({ lines, log: { buffer, isCut, state } }: NoteProps) => (
  <Text size="sm" c="dimmed" role="status" data-log={state}>
    {Quantity.counted(lines, "line")}
    {state === "following" ? ", new ones appear as they are written" : ""}
    {state === "ended" ? ". The log has ended: refresh to read it again" : ""}
    {isCut ? ". The log is longer: only its newest 1 MiB is shown" : ""}
    {buffer.dropped > 0 ? `. ${Quantity.counted(buffer.dropped, "older line")} left out` : ""}
  </Text>
)
