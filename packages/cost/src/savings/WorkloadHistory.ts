/**
 * What the replicas of one workload used, container by container.
 */
import type { ContainerUsage } from "./HourUsage.ts"
import * as ContainerHistory from "./ContainerHistory.ts"
import * as RecentHours from "./RecentHours.ts"

/** Containers whose history is kept though the last hour did not see them. */
const MAX_PAST_CONTAINERS = 16

/** Containers are in no order, their names distinct. */
export interface WorkloadHistory {
  readonly hours: RecentHours.RecentHours
  containers: Array<ContainerHistory.ContainerHistory>
}

/** Makes one whose first hour this is. */
export const make = (hour: number): WorkloadHistory => ({ hours: RecentHours.make(hour), containers: [] })

/**
 * Takes in an hour.
 *
 * Hours come in rising order. Of containers that the hour did not see, those of the last eight days are kept
 * for when they come back, {@link MAX_PAST_CONTAINERS} at most.
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

/** Tells whether all of it is older than eight days at an hour. */
export const isPast = ({ hours }: WorkloadHistory, hour: number): boolean =>
  hour - hours.last >= RecentHours.REACH_HOURS

/** Adds what another history of the same workload knows; the other stays as it is. */
export const merge = (into: WorkloadHistory, other: WorkloadHistory): void => {
  RecentHours.merge(into.hours, other.hours)
  for (const theirs of other.containers) {
    let ours = into.containers.find(({ name }) => name === theirs.name)
    if (ours === undefined) {
      ours = ContainerHistory.make(theirs.name)
      into.containers.push(ours)
    }
    ContainerHistory.merge(ours, theirs)
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
