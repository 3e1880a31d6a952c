/**
 * The other registered names of one cluster.
 */
import { Text } from "@mantine/core"

/** Renders nothing for a cluster with one name. */
export const SameCluster = ({ names = [] }: { readonly names: ReadonlyArray<string> | undefined }) =>
  names.length === 0 ? undefined : (
    <Text size="xs" c="orange" role="status" className="qd-text">
      Same cluster as {names.join(", ")}: requests to all clusters count it {names.length + 1} times
    </Text>
  )
