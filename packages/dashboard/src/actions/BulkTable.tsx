/**
 * Table of a bulk action: the preview or the outcome of each workload.
 */
import { Code, Table, Text } from "@mantine/core"
import type { Outcome } from "../api/BulkCall.ts"
import { type ActionName, type Change, canAct } from "../api/ActionQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { workloadPlace } from "../frame/places.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { type BulkRun, fateOf, placeOf } from "./BulkRun.ts"
import { FATES, previewVerdict, reasonOf } from "./OutcomeText.ts"

interface Props {
  readonly change: Change
  readonly workloads: ReadonlyArray<Workload>
  /** Outcomes of the dry run, by {@link placeOf}; absent before it. */
  readonly preview: ReadonlyMap<string, Outcome> | undefined
  /** State of the change; absent before it starts. */
  readonly run: BulkRun | undefined
}

export const BulkTable = ({ change, preview, run, workloads }: Props) => {
  const label = run === undefined ? "Preview" : "Outcomes"
  return (
    <ScrollTable label={label} minWidth={320} maxHeight={420}>
      <Table aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Workload</Table.Th>
            <Table.Th scope="col">Cluster and namespace</Table.Th>
            <Table.Th scope="col">Change</Table.Th>
            <Table.Th scope="col">{run === undefined ? "Dry run" : "Outcome"}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workloads.map((workload) => (
            <Table.Tr key={workload.id} data-place={placeOf(workload)}>
              <Table.Th scope="row" className="qd-text">
                {workload.name}
                <Text size="xs" c="dimmed">
                  {workload.kind}
                </Text>
              </Table.Th>
              <Table.Td className="qd-text">
                {workload.cluster}
                <Text size="xs" c="dimmed">
                  {workload.namespace}
                </Text>
              </Table.Td>
              <Table.Td>{changeText(change, workload)}</Table.Td>
              <Table.Td>
                <Verdict
                  action={change.action}
                  workload={workload}
                  preview={preview?.get(placeOf(workload))}
                  run={run}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollTable>
  )
}

/** Describes the change of a workload, from its state in the list. */
const changeText = ({ action, replicas }: Change, { kind, replicas: { desired }, status }: Workload): string => {
  if (!canAct(action, kind)) return Quantity.UNKNOWN
  switch (action) {
    case "scale":
      return desired === replicas
        ? `${Quantity.count(desired)}, unchanged`
        : `${Quantity.count(desired)} to ${Quantity.count(replicas)}`
    case "restart":
      return "pods replaced"
    case "pause":
      return status === "paused" ? "paused, unchanged" : "paused"
    case "resume":
      return status === "paused" ? "resumed" : "not paused, unchanged"
  }
}

interface VerdictProps {
  readonly action: ActionName
  readonly workload: Workload
  readonly preview: Outcome | undefined
  readonly run: BulkRun | undefined
}

const Verdict = ({ action, preview, run, workload }: VerdictProps) => {
  // A workload that the dry run refused is not part of the change.
  if (run === undefined || preview?.status !== "dryRun") {
    return preview === undefined ? undefined : <Mark action={action} {...previewVerdict(preview)} outcome={preview} />
  }
  const fate = fateOf(run, workload)
  return (
    <>
      <Mark action={action} {...FATES[fate]} outcome={run.outcomes.get(placeOf(workload))} />
      {fate === "unknown" || fate === "unreported" ? (
        <a href={`#${workloadPlace(workload)}`} target="_blank" rel="noreferrer" className="qd-link">
          Open it in a new tab
        </a>
      ) : undefined}
    </>
  )
}

interface MarkProps {
  readonly action: ActionName
  readonly word: string
  readonly color: string
  readonly outcome: Outcome | undefined
}

const Mark = ({ action, color, outcome, word }: MarkProps) => {
  const reason = outcome === undefined ? undefined : reasonOf(action, outcome)
  return (
    <>
      <Text size="sm">
        <span className={`qd-dot qd-dot-${color}`} /> {word}
      </Text>
      {reason === undefined ? undefined : (
        <Text size="xs" className="qd-text">
          {reason} <Code>{outcome?.code}</Code>
        </Text>
      )}
    </>
  )
}
