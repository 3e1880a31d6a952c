/**
 * Chooses the clusters that the pages show: all, the parent, or some by name.
 */
import {
  Alert,
  Box,
  Button,
  Checkbox,
  Group,
  Popover,
  Radio,
  ScrollArea,
  Stack,
  Text,
  TextInput,
  VisuallyHidden
} from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { clustersQuery } from "../api/Queries.ts"
import type { Cluster } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { answers, COLORS, healthOf, summaryOf, wordOf } from "./CoverageText.ts"
import { useTarget } from "./useTarget.ts"

/** Number of clusters from which a search field is shown. */
const SEARCHED_FROM = 8

export const ClusterSwitcher = () => {
  const { target } = useTarget()
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const clusters = useQuery(clustersQuery(ClusterTarget.ALL))
  const text = textOf(target, clusters.data?.clusters)
  const shown = shownBy(target, clusters.data?.clusters ?? []).map(({ coverage }) => coverage)
  const isWhole = shown.every(answers)
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-start"
      width={320}
      trapFocus
      returnFocus
      withinPortal
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          onClick={toggle}
          className="qd-switcher"
          data-switcher=""
          leftSection={isWhole ? undefined : <span className="qd-dot qd-dot-red" />}
          rightSection={<span aria-hidden="true">▾</span>}
        >
          <VisuallyHidden>Clusters: </VisuallyHidden>
          <Text span size="sm" truncate>
            {text}
          </Text>
          {isWhole ? undefined : (
            <>
              <VisuallyHidden>, </VisuallyHidden>
              <Text span size="sm" c="dimmed" ml={6} visibleFrom="sm">
                {summaryOf(shown)}
              </Text>
              <VisuallyHidden hiddenFrom="sm">{summaryOf(shown)}</VisuallyHidden>
            </>
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Clusters to show">
        {clusters.error instanceof ApiFailure && clusters.data === undefined ? (
          <Alert color="red" title="The clusters cannot be read">
            {clusters.error.message}
          </Alert>
        ) : (
          <Choice clusters={clusters.data?.clusters ?? []} />
        )}
      </Popover.Dropdown>
    </Popover>
  )
}

/** Returns the clusters that a target names. */
const shownBy = (target: ClusterTarget.ClusterTarget, clusters: ReadonlyArray<Cluster>): ReadonlyArray<Cluster> => {
  if (target._tag === "All") return clusters
  if (target._tag === "Parent") return clusters.filter(({ role }) => role === "parent")
  return clusters.filter(({ name }) => target.names.includes(name))
}

const textOf = (target: ClusterTarget.ClusterTarget, clusters: ReadonlyArray<Cluster> | undefined): string => {
  switch (target._tag) {
    case "All":
      return "All clusters"
    case "Parent": {
      const parent = clusters?.find(({ role }) => role === "parent")
      return parent === undefined ? "Parent" : `Parent (${parent.name})`
    }
    case "Named":
      return target.names.length > 2 ? Quantity.counted(target.names.length, "cluster") : target.names.join(", ")
  }
}

const Choice = ({ clusters }: { readonly clusters: ReadonlyArray<Cluster> }) => {
  const { setTarget, target } = useTarget()
  const [search, setSearch] = useState("")
  const chosen = target._tag === "Named" ? target.names : []
  // A link may name clusters that do not exist. They are listed so that the user can deselect them.
  const names = [...new Set([...clusters.map(({ name }) => name), ...chosen])]
  const byName = new Map<string, Cluster>(clusters.map((cluster) => [cluster.name, cluster]))
  const shown = names.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()))
  const isFull = chosen.length >= ClusterTarget.MAX_NAMES
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Show"
        value={target._tag}
        onChange={(value) => {
          if (value === "All") setTarget(ClusterTarget.ALL)
          if (value === "Parent") setTarget(ClusterTarget.PARENT)
          if (value === "Named") setTarget(ClusterTarget.named(names.slice(0, 1)))
        }}
      >
        <Stack gap={8} mt={6}>
          <Radio value="All" label="All clusters" data-autofocus />
          <Radio value="Parent" label="The parent cluster" />
          <Radio value="Named" label="Only these" disabled={names.length === 0} />
        </Stack>
      </Radio.Group>
      {names.length < SEARCHED_FROM ? undefined : (
        <TextInput
          type="search"
          aria-label="Find a cluster"
          placeholder="Find a cluster"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ScrollArea.Autosize mah={280} type="auto" tabIndex={-1}>
        <Stack gap={8} role="group" aria-label="Clusters" pl={4} py={4}>
          {shown.map((name) => (
            <Checkbox
              key={name}
              label={<ClusterLabel name={name} cluster={byName.get(name)} />}
              checked={chosen.includes(name)}
              disabled={isFull && !chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                setTarget(ClusterTarget.named(checked ? [...chosen, name] : chosen.filter((one) => one !== name)))
              }
            />
          ))}
          {shown.length === 0 ? (
            <Text size="sm" c="dimmed">
              {names.length === 0 ? "No registered cluster is in your key's scope." : "No cluster has this name."}
            </Text>
          ) : undefined}
        </Stack>
      </ScrollArea.Autosize>
      {isFull ? (
        <Text size="sm" c="dimmed">
          You can choose up to {ClusterTarget.MAX_NAMES} clusters.
        </Text>
      ) : undefined}
    </Stack>
  )
}

const ClusterLabel = ({ cluster, name }: { readonly name: string; readonly cluster: Cluster | undefined }) => (
  <Group gap={6} component="span" wrap="nowrap">
    <Box
      component="span"
      className="qd-dot"
      bg={cluster === undefined ? "gray.6" : `${COLORS[healthOf(cluster.coverage)]}.6`}
    />
    <span className="qd-text">{name}</span>
    <Text span size="xs" c="dimmed">
      {cluster === undefined ? "not registered" : cluster.role === "parent" ? "parent" : undefined}
      {cluster !== undefined && healthOf(cluster.coverage) !== "ok" ? ` ${wordOf(cluster.coverage)}` : undefined}
    </Text>
  </Group>
)
