/**
 * Dot with the colour of a pod's status. The status stands beside the dot as text.
 */
import type { Pod } from "../api/PodQueries.ts"

const IN_PROGRESS: ReadonlySet<string> = new Set([
  "Pending",
  "ContainerCreating",
  "PodInitializing",
  "Terminating",
  "SchedulingGated"
])

/** Returns the colour of a status. **Shape** a status that is neither healthy nor in progress is red. */
const colorOf = ({ containers, readyContainers, status }: Pod): string => {
  if (status === "Running") return readyContainers === containers ? "teal" : "orange"
  if (status === "Completed" || status === "Succeeded") return "teal"
  return IN_PROGRESS.has(status) || /^Init:\d+\/\d+$/.test(status) ? "blue" : "red"
}

export const PodDot = ({ pod }: { readonly pod: Pod }) => (
  <span className={`qd-dot qd-dot-${colorOf(pod)}`} aria-hidden="true" />
)
