/** Recommended requests of one replica. */
interface Recommended {
  readonly cpuRecommendedMillis: number
  readonly memoryRecommendedBytes: number
}

const MIB = 1_048_576

/** Prints the requests as YAML for a container's manifest. **Shape** memory is rounded up to whole MiB. */
export const manifestOf = ({ cpuRecommendedMillis, memoryRecommendedBytes }: Recommended): string =>
  [
    "resources:",
    "  requests:",
    `    cpu: ${cpuRecommendedMillis}m`,
    `    memory: ${Math.ceil(memoryRecommendedBytes / MIB)}Mi`
  ].join("\n")
