/**
 * What one replica of a workload is recommended to request, as it stands in a manifest.
 */
interface Recommended {
  readonly cpuRecommendedMillis: number
  readonly memoryRecommendedBytes: number
}

const MIB = 1_048_576

/** Writes requests as a container's manifest has them. **Shape** memory in whole MiB, never less than recommended. */
export const manifestOf = ({ cpuRecommendedMillis, memoryRecommendedBytes }: Recommended): string =>
  [
    "resources:",
    "  requests:",
    `    cpu: ${cpuRecommendedMillis}m`,
    `    memory: ${Math.ceil(memoryRecommendedBytes / MIB)}Mi`
  ].join("\n")
