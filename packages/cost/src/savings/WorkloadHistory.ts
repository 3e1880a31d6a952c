/**
 * What the replicas of one workload used, container by container.
 */
import * as DecayingHistogram from "./DecayingHistogram.ts"
import type { ContainerUsage } from "./HourUsage.ts"
import { none, type Recommendation, type RecommendationPolicy } from "./Recommendation.ts"
import * as ContainerHistory from "./ContainerHistory.ts"
import * as RecentHours from "./RecentHours.ts"

/** Containers whose history is kept though the last hour did not see them. */
const MAX_PAST_CONTAINERS = 16

const HOURS_A_DAY = 24

/** **Shape** containers are in no order, their names distinct. */
export interface WorkloadHistory {
  readonly hours: RecentHours.RecentHours
  containers: Array<ContainerHistory.ContainerHistory>
}

/** Makes one whose first hour this is. */
export const make = (hour: number): WorkloadHistory => ({ hours: RecentHours.make(hour), containers: [] })

/**
 * Takes in an hour.
 *
 * **Shape** hours come in rising order. Of containers that the hour did not see, those of the last eight days are kept
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

/** Adds what another history of the same workload knows. **Shape** the other stays as it is. */
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

/**
 * Recommends what one replica requests.
 *
 * **Shape** the sum over the containers that its newest hour saw; what a replica gets at least is split evenly over them.
 * A container of which kills alone are known is left out until its usage is: of its CPU nothing can be said.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/logic/recommender.go`, and
 * `pkg/recommender/routines/vpa.go`: `GetContainerNameToAggregateStateMap` (`TotalSamplesCount` counts CPU).
 */
export const recommend = ({ containers, hours }: WorkloadHistory, policy: RecommendationPolicy): Recommendation => {
  const current = containers.filter(({ cpu, lastHour }) => lastHour === hours.last && !DecayingHistogram.isEmpty(cpu))
  if (current.length === 0) return none
  let cpuRecommendedMillis = 0
  let memoryRecommendedBytes = 0
  for (const container of current) {
    const { cpuMillis, memoryBytes } = ContainerHistory.recommend(container, policy, 1 / current.length)
    cpuRecommendedMillis += cpuMillis
    memoryRecommendedBytes += memoryBytes
  }
  return { cpuRecommendedMillis, memoryRecommendedBytes, recommendationDays: RecentHours.count(hours) / HOURS_A_DAY }
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
