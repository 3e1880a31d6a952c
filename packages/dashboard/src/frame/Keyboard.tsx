/**
 * Shortcuts, command palette and shortcut help of every page.
 */
import { useMantineColorScheme, useComputedColorScheme } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback } from "react"
import { useNavigate } from "react-router"
import { clustersQuery } from "../api/Queries.ts"
import { signOut } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import { type Command, CommandPalette } from "../keyboard/CommandPalette.tsx"
import { ShortcutHelp } from "../keyboard/ShortcutHelp.tsx"
import { useShortcuts } from "../keyboard/Shortcuts.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { isUnscopedAdmin, useCaller } from "./Caller.ts"
import { placesOf } from "./Navigation.tsx"
import { clusterPlace, PLACES } from "./places.ts"

interface Props {
  readonly palette: { readonly isOpen: boolean; readonly open: () => void; readonly close: () => void }
}

export const Keyboard = ({ palette }: Props) => {
  const { rule } = useCaller()
  const { linkTo } = useTarget()
  const navigate = useNavigate()
  const [isHelpOpen, help] = useDisclosure(false)
  const commands = useCommands(help.open)
  const places = placesOf(rule.role)

  const goTo = useCallback(
    (key: string): boolean => {
      const place = placesOf(rule.role).find((candidate) => candidate.key === key)
      if (place !== undefined) void navigate(linkTo(place.to))
      return place !== undefined
    },
    [linkTo, navigate, rule.role]
  )
  useShortcuts({ goTo, showHelp: help.open, showPalette: palette.open })

  const searches = (text: string): ReadonlyArray<Command> => [
    {
      label: `Workloads whose name contains ${text}`,
      group: "Search",
      run: () => void navigate(linkTo(PLACES.workloads, { name: text }))
    }
  ]
  return (
    <>
      <CommandPalette isOpen={palette.isOpen} onClose={palette.close} commands={commands} searches={searches} />
      <ShortcutHelp isOpen={isHelpOpen} onClose={help.close} places={places.map(({ key, label }) => [key, label])} />
    </>
  )
}

const useCommands = (showHelp: () => void): ReadonlyArray<Command> => {
  const { rule } = useCaller()
  const { linkTo, setTarget } = useTarget()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const leaving = useAction()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme("light") === "dark"
  const clusters = useQuery(clustersQuery(ClusterTarget.ALL)).data?.clusters ?? []
  const names = clusters.map(({ name }) => name)
  return [
    ...placesOf(rule.role).map(({ label, to }) => ({ label, group: "Page", run: () => void navigate(linkTo(to)) })),
    ...(rule.role === "Admin"
      ? [{ label: "Create API Key", group: "Action", run: () => void navigate(linkTo(PLACES.createKey)) }]
      : []),
    ...(isUnscopedAdmin(rule)
      ? [{ label: "Register a cluster", group: "Action", run: () => void navigate(linkTo(PLACES.registerCluster)) }]
      : []),
    { label: "Show all clusters", group: "Clusters", run: () => setTarget(ClusterTarget.ALL) },
    { label: "Show the parent cluster", group: "Clusters", run: () => setTarget(ClusterTarget.PARENT) },
    ...names.map((name) => ({
      label: `Show only ${name}`,
      group: "Clusters",
      run: () => setTarget(ClusterTarget.named([name]))
    })),
    ...names.map((name) => ({ label: name, group: "Cluster", run: () => void navigate(linkTo(clusterPlace(name))) })),
    { label: "Keyboard shortcuts", group: "Help", run: showHelp },
    {
      label: isDark ? "Use light colours" : "Use dark colours",
      group: "Action",
      run: () => setColorScheme(isDark ? "light" : "dark")
    },
    { label: "Sign out", group: "Action", run: () => void leaving.run(() => signOut(queries, false)) }
  ]
}
