/**
 * The usage history of one workload, container by container.
 */
import type { ContainerUsage } from "./HourUsage.ts"
import * as ContainerHistory from "./ContainerHistory.ts"
import * as RecentHours from "./RecentHours.ts"

/** Maximum number of containers whose history is kept although they did not run in the newest hour. */
const MAX_PAST_CONTAINERS = 16

/** Hours with usage, and the history of each container. Container names are distinct; their order does not matter. */
export interface WorkloadHistory {
  readonly hours: RecentHours.RecentHours
  containers: Array<ContainerHistory.ContainerHistory>
}

/** Creates a history that starts with `hour`. */
export const make = (hour: number): WorkloadHistory => ({ hours: RecentHours.make(hour), containers: [] })

/**
 * Adds one hour.
 *
 * Hours must ascend. Containers missing in the hour stay for eight days in case they return, at most
 * {@link MAX_PAST_CONTAINERS} of them.
 */
export const fold = (history: WorkloadHistory, hour: number, rows: ReadonlyArray<ContainerUsage>): void => {
  RecentHours.note(history.hours, hour)
  for (const usage of rows) {
    let container = history.containers.find(({ name }) => name === usage.container)
    if (container === undefined) {
      container = ContainerHistory.make(usage.container)
      history.containers = [...history.containers, container]
    }
    ContainerHistory.fold(container, hour, usage)
  }
  forgetContainers(history)
}

/** Returns true if the newest usage is eight days or more before `hour`. */
export const isPast = ({ hours }: WorkloadHistory, hour: number): boolean =>
  hour - hours.last >= RecentHours.REACH_HOURS

/** Adds another history of the same workload. The other history does not change. */
export const merge = (into: WorkloadHistory, other: WorkloadHistory): void => {
  RecentHours.merge(into.hours, other.hours)
  for (const source of other.containers) {
    let target = into.containers.find(({ name }) => name === source.name)
    if (target === undefined) {
      target = ContainerHistory.make(source.name)
      into.containers.push(target)
    }
    ContainerHistory.merge(target, source)
  }
  forgetContainers(into)
}

const forgetContainers = (history: WorkloadHistory): void => {
  const { containers, hours } = history
  if (containers.every(({ lastHour }) => lastHour === hours.last)) return
  const past = containers
    .filter(({ lastHour }) => lastHour < hours.last && hours.last - lastHour < RecentHours.REACH_HOURS)
    .toSorted((a, b) => b.lastHour - a.lastHour || (a.name < b.name ? -1 : 1))
  history.containers = [
    ...containers.filter(({ lastHour }) => lastHour === hours.last),
    ...past.slice(0, MAX_PAST_CONTAINERS)
  ]
}
