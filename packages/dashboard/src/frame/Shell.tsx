/**
 * The frame of every page: navigation, cluster switcher, colours and the session's key.
 */
import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden
} from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useRef } from "react"
import { Link, useLocation } from "react-router"
import { signOut } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { ClusterSwitcher } from "../clusterScope/ClusterSwitcher.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { useCaller } from "./Caller.ts"
import icon from "./icon.svg"
import { MoonIcon, PersonIcon, SearchIcon, SunIcon } from "./Icons.tsx"
import { Keyboard } from "./Keyboard.tsx"
import { placesOf } from "./Navigation.tsx"
import { PLACES } from "./places.ts"

interface Props {
  readonly isOffline: boolean
  readonly children: ReactNode
}

export const Shell = ({ children, isOffline }: Props) => {
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const [isSearching, search] = useDisclosure(false)
  const main = useRef<HTMLElement>(null)
  const leaving = useAction()
  const { linkTo } = useTarget()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "lg" }}
    >
      <AppShell.Header>
        <button type="button" className="qd-skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <Group h="100%" px={{ base: "xs", sm: "md" }} gap="sm" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link to={linkTo(PLACES.overview)} className="qd-logo" aria-label="Quarterdeck: Overview">
              <img src={icon} alt="" width={28} height={28} />
              <Text span fw={650} visibleFrom="sm" w={150}>
                Quarterdeck
              </Text>
            </Link>
            <ClusterSwitcher />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Find a page, a cluster or a workload"
              onClick={search.open}
            >
              <SearchIcon />
            </ActionIcon>
            <ColorSwitch />
            <Identity leaving={leaving} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Navigation">
        <Places onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1} id="content">
        <Stack gap="md" maw={2400}>
          {isOffline ? (
            <Alert color="yellow" role="status" title="The server does not answer">
              The data shown may be out of date. The page retries every few seconds.
            </Alert>
          ) : undefined}
          {leaving.failure === undefined ? undefined : <FailureAlert failure={leaving.failure} />}
          {children}
        </Stack>
      </AppShell.Main>
      <Keyboard palette={{ isOpen: isSearching, open: search.open, close: search.close }} />
    </AppShell>
  )
}

const Places = ({ onChoose }: { readonly onChoose: () => void }) => {
  const { rule } = useCaller()
  const { pathname } = useLocation()
  const { linkTo } = useTarget()
  const places = placesOf(rule.role)
  return (
    <>
      {places.map(({ group, icon, label, to }, index) => {
        const isHere = pathname === to || (to !== PLACES.overview && pathname.startsWith(`${to}/`))
        return (
          <div key={to}>
            {group === undefined || group === places[index - 1]?.group ? undefined : (
              <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm">
                {group}
              </Text>
            )}
            <NavLink
              component={Link}
              to={linkTo(to)}
              label={label}
              leftSection={icon}
              active={isHere}
              aria-current={isHere ? "page" : undefined}
              variant="filled"
              onClick={onChoose}
              my={2}
              bdrs="md"
            />
          </div>
        )
      })}
    </>
  )
}

const ColorSwitch = () => {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme("light") === "dark"
  return (
    <ActionIcon
      variant="default"
      size={36}
      visibleFrom="xs"
      aria-label={isDark ? "Use light colours" : "Use dark colours"}
      onClick={() => setColorScheme(isDark ? "light" : "dark")}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  )
}

const Identity = ({ leaving }: { readonly leaving: ReturnType<typeof useAction> }) => {
  const { name, rule } = useCaller()
  const queries = useQueryClient()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme("light") === "dark"
  const leave = (everywhere: boolean) => void leaving.run(() => signOut(queries, everywhere))
  return (
    <Menu position="bottom-end" width={260} withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" loading={leaving.isRunning} maw={{ base: 190, md: 320 }} px={{ base: 8, md: "md" }}>
          <VisuallyHidden>Signed in with </VisuallyHidden>
          <Text span size="sm" truncate visibleFrom="md">
            {name}
          </Text>
          <VisuallyHidden hiddenFrom="md">{name}</VisuallyHidden>
          <Group component="span" hiddenFrom="md">
            <PersonIcon />
          </Group>
          <Badge size="sm" variant="filled" tt="none" ml="xs" visibleFrom="md" component="span">
            {rule.role}
          </Badge>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Signed in with the key {name}</Menu.Label>
        <Menu.Item component={Link} to={PLACES.ownKey}>
          Your key
        </Menu.Item>
        <Menu.Item hiddenFrom="xs" onClick={() => setColorScheme(isDark ? "light" : "dark")}>
          {isDark ? "Use light colours" : "Use dark colours"}
        </Menu.Item>
        <Menu.Item onClick={() => leave(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => leave(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
